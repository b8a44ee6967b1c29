package gitrepo

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
)

func TestFreshForgetsTheRulesThatAnAttemptMade(t *testing.T) {
	t.Parallel()
	for name, rules := range map[string]map[string]string{
		"ignoring a file":         {".gitignore": "left.txt\n"},
		"ignoring itself":         {".gitignore": "*\n"},
		"further down":            {"dir/.gitignore": "left.txt\n", "dir/left.txt": "x\n"},
		"changed in place":        {"kept/.gitignore": "left.txt\n", "kept/left.txt": "x\n"},
		"attributes":              {".gitattributes": "*.txt text eol=crlf\n"},
		"attributes, ignored":     {".gitattributes": "*.txt text eol=crlf\n", ".gitignore": ".git*\n"},
		"attributes and a folder": {"dir/.gitattributes": "*.txt text eol=crlf\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			f.write("kept/.gitignore", "other\n")
			f.commit("rules")
			f.open()
			ws := f.fresh("TASK-01")
			f.writeIn(ws.Dir, "left.txt", "x\n")
			for path, content := range rules {
				f.writeIn(ws.Dir, path, content)
			}
			require.NoError(t, os.Remove(filepath.Join(ws.Dir, "a.txt")))
			require.NoError(t, os.Remove(filepath.Join(ws.Dir, "dir/b.txt")))

			f.fresh("TASK-01")

			require.Empty(t, f.snapshot("TASK-01").Changes)
			b, err := os.ReadFile(filepath.Join(ws.Dir, "a.txt"))
			require.NoError(t, err)
			require.Equal(t, "one\n", string(b))
			require.NoFileExists(t, filepath.Join(ws.Dir, "left.txt"))
			f.writeIn(ws.Dir, "new.txt", "x\n")
			require.Equal(t, []stages.Change{{Path: "new.txt", Action: "CREATE"}}, f.snapshot("TASK-01").Changes)
		})
	}
}

func TestIgnoredFolderThatIgnoresItselfStays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	f.writeIn(ws.Dir, "venv/.gitignore", "*\n")
	f.writeIn(ws.Dir, "venv/bin/python", "x\n")

	f.fresh("TASK-01")

	require.FileExists(t, filepath.Join(ws.Dir, "venv/bin/python"))
}

func TestDirectoryThatBecameASymlink(t *testing.T) {
	t.Parallel()
	for name, to := range map[string]string{
		"to itself": "dir", "to nothing": "gone", "to one that holds the same name": "twin",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			f.write("twin/b.txt", "another\n")
			f.commit("twin")
			f.open()
			ws := f.fresh("TASK-01")
			f.gitIn(ws.Dir, "rm", "-q", "--cached", "dir/b.txt")
			require.NoError(t, os.RemoveAll(filepath.Join(ws.Dir, "dir")))
			require.NoError(t, os.Symlink(to, filepath.Join(ws.Dir, "dir")))

			snap := f.snapshot("TASK-01")

			require.Equal(t, []stages.Change{{Path: "dir", Action: "CREATE"}, {Path: "dir/b.txt", Action: "DELETE"}}, snap.Changes)
			require.Equal(t, gitTree(f, ws.Dir), snap.Tree)
		})
	}
}

func TestWhatGitCannotHoldIsLeftOut(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	require.NoError(t, syscall.Mkfifo(filepath.Join(ws.Dir, "fifo"), 0o600))
	require.NoError(t, os.Remove(filepath.Join(ws.Dir, "a.txt")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(ws.Dir, "a.txt"), 0o600))
	short, err := os.MkdirTemp("", "s") // the path at which a socket is made has to be short
	require.NoError(t, err)
	defer os.RemoveAll(short)
	socket, err := net.Listen("unix", filepath.Join(short, "socket"))
	require.NoError(t, err)
	defer socket.Close()
	require.NoError(t, os.Rename(filepath.Join(short, "socket"), filepath.Join(ws.Dir, "socket")))
	require.NoError(t, os.Mkdir(filepath.Join(ws.Dir, "empty"), 0o755))

	require.Equal(t, []stages.Change{{Path: "a.txt", Action: "DELETE"}}, f.snapshot("TASK-01").Changes)
}

func TestTrackedFileThatIsIgnoredIsFollowed(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.write("a.o", "one\n")
	f.commit("tracked")
	f.write(".gitignore", "*.o\n")
	f.commit("ignored since")
	f.open()
	ws := f.fresh("TASK-01")
	f.writeIn(ws.Dir, "a.o", "two\n")
	f.writeIn(ws.Dir, "b.o", "two\n")

	require.Equal(t, []stages.Change{{Path: "a.o", Action: "MODIFY"}}, f.snapshot("TASK-01").Changes)
}

func TestLargeFileAndDeepPathAreTaken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	deep := strings.Repeat(strings.Repeat("d", 200)+"/", 14) + "file.txt"
	f.writeIn(ws.Dir, deep, "x\n")
	f.writeIn(ws.Dir, "large.bin", "begins\n")
	require.NoError(t, os.Truncate(filepath.Join(ws.Dir, "large.bin"), 65<<20))

	snap := f.snapshot("TASK-01")

	require.Equal(t, []stages.Change{{Path: deep, Action: "CREATE"}, {Path: "large.bin", Action: "CREATE"}}, snap.Changes)
	require.Equal(t, gitTree(f, ws.Dir), snap.Tree)
}

func TestFileThatGitCannotConvertFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	f.writeIn(ws.Dir, ".gitattributes", "*.txt working-tree-encoding=UTF-16LE\n")
	f.writeIn(ws.Dir, "new.txt", "odd")

	_, err := f.repo.Snapshot(ctx(), "TASK-01", nil)

	f.requireFault(err, "failed to encode 'new.txt' from UTF-16LE")
}

func TestSubmoduleThatNobodyTouchesStays(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	sub := newRepository(t)
	f.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", sub.dir, "sub")
	f.commit("sub")
	f.open()

	l := f.build("TASK-01", map[string]string{"new.txt": "x\n"})

	require.Equal(t, "landed", f.land(l).Outcome)
	require.Equal(t, "160000 commit "+string(sub.head())+"\tsub", f.git("ls-tree", "HEAD", "sub"))
	require.Empty(t, f.git("status", "--porcelain"))
	require.FileExists(t, filepath.Join(f.dir, "sub/a.txt"))
}

func TestFolderWhoseStagedFileIsBehindASymlinkToItself(t *testing.T) {
	t.Parallel()
	f := settled(t)
	ws, err := f.repo.Open(ctx(), stages.Lease{Task: "TASK-01", Base: f.tip()})
	require.NoError(t, err)
	dir := filepath.Join(ws.Dir, "dir")
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("!x.o\n"), 0o644))
	_, err = f.repo.held("TASK-01").git.run(ctx(), "add", "-A")
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.Symlink("dir", dir))

	want := addAll(t, f)
	snap, err := f.repo.Snapshot(ctx(), "TASK-01", nil)

	require.NoError(t, err)
	require.Equal(t, want, snap.Tree)
}
