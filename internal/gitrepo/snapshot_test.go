package gitrepo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
)

func TestSnapshotIsExactlyWhatLiesThere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	f.writeIn(ws.Dir, "ü/한글 name.txt", "x\n")
	f.writeIn(ws.Dir, "odd\nname\t\"q\".txt", "y\n")
	f.writeIn(ws.Dir, "run.sh", "#!/bin/sh\n")
	require.NoError(t, os.Chmod(filepath.Join(ws.Dir, "run.sh"), 0o755))
	require.NoError(t, os.Symlink("a.txt", filepath.Join(ws.Dir, "link")))
	require.NoError(t, os.Symlink("dir", filepath.Join(ws.Dir, "dirlink")))
	require.NoError(t, os.Remove(filepath.Join(ws.Dir, "dir/b.txt")))
	f.writeIn(ws.Dir, "a.txt", "one, changed\n")

	snap := f.snapshot("TASK-01")

	require.Equal(t, []stages.Change{
		{Path: "a.txt", Action: "MODIFY"},
		{Path: "dir/b.txt", Action: "DELETE"},
		{Path: "dirlink", Action: "CREATE"},
		{Path: "link", Action: "CREATE"},
		{Path: "odd\nname\t\"q\".txt", Action: "CREATE"},
		{Path: "run.sh", Action: "CREATE"},
		{Path: "ü/한글 name.txt", Action: "CREATE"},
	}, snap.Changes)
	require.Equal(t, gitTree(f, ws.Dir), snap.Tree, "the same tree as git's own add and write-tree")
}

// gitTree is what `git add -A` makes of a workspace, through an index of its own.
func gitTree(f *fixture, dir string) stages.Hash {
	f.t.Helper()
	index := filepath.Join(f.t.TempDir(), "index")
	git := command{dir: dir, env: []string{"GIT_INDEX_FILE=" + index}}
	for _, args := range [][]string{{"read-tree", "HEAD"}, {"add", "-A"}} {
		_, err := git.run(ctx(), args...)
		require.NoError(f.t, err)
	}
	tree, err := git.line(ctx(), "write-tree")
	require.NoError(f.t, err)
	return stages.Hash(tree)
}

func TestFileAndDirectoryMayChangePlaces(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	require.NoError(t, os.Remove(filepath.Join(ws.Dir, "a.txt")))
	f.writeIn(ws.Dir, "a.txt/inside", "x\n")
	require.NoError(t, os.RemoveAll(filepath.Join(ws.Dir, "dir")))
	f.writeIn(ws.Dir, "dir", "now a file\n")

	snap := f.snapshot("TASK-01")

	require.Equal(t, gitTree(f, ws.Dir), snap.Tree)
	require.Equal(t, []stages.Change{
		{Path: "a.txt", Action: "DELETE"}, {Path: "a.txt/inside", Action: "CREATE"},
		{Path: "dir", Action: "CREATE"}, {Path: "dir/b.txt", Action: "DELETE"},
	}, snap.Changes)
}

func TestIgnoredFilesOfEverySourceStayOut(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.write(".gitignore", "*.log\n")
	f.commit("ignore")
	f.write(".git/info/exclude", "excluded\n")
	global := filepath.Join(t.TempDir(), "ignore")
	require.NoError(t, os.WriteFile(global, []byte("global\n"), 0o644))
	f.git("config", "core.excludesFile", global)
	f.open()
	ws := f.fresh("TASK-01")
	for _, name := range []string{"x.log", "excluded", "global", "kept.txt"} {
		f.writeIn(ws.Dir, name, "x\n")
	}

	require.Equal(t, []stages.Change{{Path: "kept.txt", Action: "CREATE"}}, f.snapshot("TASK-01").Changes)
}

func TestWhatGitConvertsIsConverted(t *testing.T) {
	t.Parallel()
	for name, setUp := range map[string]func(*fixture){
		"autocrlf":           func(f *fixture) { f.git("config", "core.autocrlf", "true") },
		"autocrlf input":     func(f *fixture) { f.git("config", "core.autocrlf", "input") },
		"attributes":         func(f *fixture) { f.write(".gitattributes", "* text=auto\n"); f.commit("attributes") },
		"info/attributes":    func(f *fixture) { f.write(".git/info/attributes", "*.txt text\n") },
		"an attribute below": func(f *fixture) { f.write("sub/.gitattributes", "*.txt text\n"); f.commit("attributes") },
		"a clean filter": func(f *fixture) {
			f.git("config", "filter.up.clean", "tr a-z A-Z")
			f.write(".gitattributes", "*.txt filter=up\n")
			f.commit("filter")
		},
		"line ends of files": func(f *fixture) { f.write(".gitattributes", "*.txt text eol=crlf\n"); f.commit("attributes") },
		"an encoding": func(f *fixture) {
			f.write(".gitattributes", "*.txt working-tree-encoding=ISO-8859-1\n")
			f.commit("attributes")
		},
		"ident":       func(f *fixture) { f.write(".gitattributes", "*.txt ident\n"); f.commit("attributes") },
		"export-only": func(f *fixture) { f.write(".gitattributes", "*.txt export-subst\n"); f.commit("attributes") },
		"a filter that is required": func(f *fixture) {
			f.git("config", "filter.lfs.clean", "sed s/^/pointer:/")
			f.git("config", "filter.lfs.smudge", "sed s/^pointer://")
			f.git("config", "filter.lfs.required", "true")
			f.write(".gitattributes", "*.txt filter=lfs -text\n")
			f.commit("filter")
		},
		"file modes not kept": func(f *fixture) { f.git("config", "core.fileMode", "false") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			f.write("crlf.txt", "was\r\ncrlf\r\n")
			f.commit("a file with CRLF in it")
			setUp(f)
			f.open()
			ws := f.fresh("TASK-01")
			f.writeIn(ws.Dir, "crlf.txt", "still\r\ncrlf\r\n")
			f.writeIn(ws.Dir, "new.txt", "new\r\nfile $Id: 12 $\r\n")
			f.writeIn(ws.Dir, "sub/new.txt", "caf\xe9\r\nfile\r\n")
			f.writeIn(ws.Dir, "odd\nname.txt", "new\r\nfile\r\n")
			f.writeIn(ws.Dir, "run.sh", "x\n")
			require.NoError(t, os.Chmod(filepath.Join(ws.Dir, "run.sh"), 0o755))
			require.NoError(t, os.Symlink("a.txt", filepath.Join(ws.Dir, "link.txt")))

			require.Equal(t, gitTree(f, ws.Dir), f.snapshot("TASK-01").Tree)
		})
	}
}

func TestAttributesWrittenByTheAgentCount(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	f.writeIn(ws.Dir, ".gitattributes", "*.txt text\n")
	f.writeIn(ws.Dir, "new.txt", "a\r\nb\r\n")

	require.Equal(t, gitTree(f, ws.Dir), f.snapshot("TASK-01").Tree)
}

func TestAgentThatCommittedFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	base := f.tip()
	ws := f.fresh("TASK-01")
	f.writeIn(ws.Dir, "new.txt", "x\n")
	f.gitIn(ws.Dir, "add", "-A")
	f.gitIn(ws.Dir, "commit", "-qm", "mine")
	made := stages.Hash(f.gitIn(ws.Dir, "rev-parse", "HEAD"))

	_, err := f.repo.Snapshot(ctx(), "TASK-01", nil)
	f.requireFault(err, "agent committed: "+base.Short()+".."+made.Short())

	f.lease(stages.Lease{Task: "TASK-01", Base: base, Mode: stages.Keep})
	require.Equal(t, []stages.Change{{Path: "new.txt", Action: "CREATE"}}, f.snapshot("TASK-01").Changes, "the work is still there")
	require.Equal(t, string(base), f.gitIn(ws.Dir, "rev-parse", "HEAD"))
}

func TestAgentThatSwitchedBranchesIsPutBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	base := f.tip()
	ws := f.fresh("TASK-01")
	f.gitIn(ws.Dir, "switch", "-qc", "theirs")
	f.writeIn(ws.Dir, "new.txt", "x\n")
	f.gitIn(ws.Dir, "add", "-A")
	f.gitIn(ws.Dir, "commit", "-qm", "mine")

	f.lease(stages.Lease{Task: "TASK-01", Base: base, Mode: stages.Keep})

	require.Equal(t, "HEAD", f.gitIn(ws.Dir, "rev-parse", "--abbrev-ref", "HEAD"), "detached")
	require.Equal(t, []stages.Change{{Path: "new.txt", Action: "CREATE"}}, f.snapshot("TASK-01").Changes)
}

func TestAgentsIndexDoesNotDecide(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	f.writeIn(ws.Dir, "a.txt", "staged\n")
	f.writeIn(ws.Dir, "gone.txt", "staged\n")
	f.gitIn(ws.Dir, "add", "-A")
	f.writeIn(ws.Dir, "a.txt", "then changed\n")
	require.NoError(t, os.Remove(filepath.Join(ws.Dir, "gone.txt")))
	f.gitIn(ws.Dir, "rm", "-q", "--cached", "dir/b.txt")

	snap := f.snapshot("TASK-01")

	require.Equal(t, []stages.Change{{Path: "a.txt", Action: "MODIFY"}}, snap.Changes)
	require.Equal(t, "then changed", f.git("show", string(snap.Tree)+":a.txt"))
}

func TestNestedRepositoryFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	require.NoError(t, os.Mkdir(filepath.Join(ws.Dir, "vendored"), 0o755))
	f.gitIn(filepath.Join(ws.Dir, "vendored"), "init", "-q")
	f.writeIn(ws.Dir, "vendored/x", "x\n")
	f.gitIn(filepath.Join(ws.Dir, "vendored"), "add", "x")
	f.gitIn(filepath.Join(ws.Dir, "vendored"), "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-qm", "x")

	_, err := f.repo.Snapshot(ctx(), "TASK-01", nil)
	f.requireFault(err, "vendored is a git repository of its own")
}

func TestPathThatGitRefusesFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	f.writeIn(ws.Dir, "sub/git~1/config", "x\n")

	_, err := f.repo.Snapshot(ctx(), "TASK-01", nil)
	f.requireFault(err, "sub/git~1/config is not a path that git takes")
}

func TestVanishedWorkspaceFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	base := f.tip()
	ws := f.fresh("TASK-01")
	require.NoError(t, os.RemoveAll(ws.Dir))

	_, err := f.repo.Snapshot(ctx(), "TASK-01", nil)
	f.requireFault(err, "is gone")
	_, err = f.repo.Open(ctx(), stages.Lease{Task: "TASK-01", Base: base, Mode: stages.Keep})
	f.requireFault(err, "is gone")

	ws = f.fresh("TASK-01")
	require.FileExists(t, filepath.Join(ws.Dir, "a.txt"), "Fresh makes a new one")
}

func TestWorkspaceThatIsNotOursFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	require.NoError(t, os.RemoveAll(ws.Dir))
	require.NoError(t, os.Mkdir(ws.Dir, 0o755))
	f.gitIn(ws.Dir, "init", "-q")

	_, err := f.repo.Snapshot(ctx(), "TASK-01", nil)
	f.requireFault(err, "not the one that was made")
}

func TestDeclareWritesTheProgressThatTheBuilderDidNot(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	f.writeIn(ws.Dir, "new.txt", "x\n")
	var told []stages.Change
	snap, err := f.repo.Snapshot(ctx(), "TASK-01", func(c []stages.Change) []byte {
		told = c
		return []byte("declared\n")
	})
	require.NoError(t, err)
	require.Equal(t, []stages.Change{{Path: "new.txt", Action: "CREATE"}}, told)
	require.Equal(t, told, snap.Changes, "without the two records")
	b, err := f.repo.Blob(snap.Progress, 100)
	require.NoError(t, err)
	require.Equal(t, "declared\n", string(b))
	require.Equal(t, gitTree(f, ws.Dir), snap.Tree)

	snap, err = f.repo.Snapshot(ctx(), "TASK-01", func([]stages.Change) []byte { return []byte("again\n") })
	require.NoError(t, err)
	b, err = f.repo.Blob(snap.Progress, 4)
	require.NoError(t, err)
	require.Equal(t, "decl", string(b), "the builder's own counts, and the limit holds")
}

func TestProgressThatIsASymlinkIsNone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	require.NoError(t, os.Symlink("/etc/passwd", ws.Progress))

	require.Empty(t, f.snapshot("TASK-01").Progress)
}

func TestSubmodulesCannotBeChanged(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	sub := newRepository(t)
	ws := f.fresh("TASK-01")
	f.gitIn(ws.Dir, "-c", "protocol.file.allow=always", "submodule", "add", "-q", sub.dir, "sub")

	_, err := f.repo.Snapshot(ctx(), "TASK-01", nil)
	f.requireFault(err, "sub")
}

func TestUsersGitSettingsHideNothing(t *testing.T) {
	t.Parallel()
	for name, config := range map[string][]string{
		"ignoreStat":         {"core.ignoreStat", "true"},
		"untracked":          {"status.showUntrackedFiles", "no"},
		"relative":           {"status.relativePaths", "true"},
		"fsmonitor":          {"core.fsmonitor", "true"},
		"untracked cache":    {"core.untrackedCache", "true"},
		"index version 4":    {"index.version", "4"},
		"old sparse setting": {"core.sparseCheckout", "true"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			f.git("config", config[0], config[1])
			f.open()
			ws := f.fresh("TASK-01")
			require.FileExists(t, filepath.Join(ws.Dir, "dir/b.txt"))
			f.writeIn(ws.Dir, "a.txt", "two\n")
			f.writeIn(ws.Dir, "new.txt", "x\n")
			require.Len(t, f.snapshot("TASK-01").Changes, 2)
		})
	}
}

func TestSnapshotOutlivesAGarbageCollection(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"a.txt": "two\n"})
	f.git("update-ref", "-d", "refs/pipeline/s1/TASK-01")
	snap, err := f.repo.Snapshot(ctx(), "TASK-01", nil)
	require.NoError(t, err)
	f.git("gc", "-q", "--prune=now")

	text, ok, err := f.repo.Read(snap.Tree, "a.txt")

	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "two\n", string(text))
	kept, err := f.repo.Kept(ctx(), "s1")
	require.NoError(t, err)
	require.Empty(t, kept, "a snapshot is no candidate")
	_ = l
}

func TestFileThatTheAgentToldGitNotToLookAtIsSeen(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--assume-unchanged", "--skip-worktree"} {
		f := newFixture(t)
		ws := f.fresh("TASK-01")
		f.gitIn(ws.Dir, "update-index", flag, "a.txt")
		f.writeIn(ws.Dir, "a.txt", "hidden\n")
		require.Equal(t, []stages.Change{{Path: "a.txt", Action: "MODIFY"}}, f.snapshot("TASK-01").Changes)

		require.NoError(t, f.repo.Close(ctx(), "TASK-01", false))
		ws = f.fresh("TASK-02")
		text, err := os.ReadFile(filepath.Join(ws.Dir, "a.txt"))
		require.NoError(t, err)
		require.Equal(t, "one\n", string(text), "the next TASK does not stand on it")
		require.Equal(t, "H a.txt", f.gitIn(ws.Dir, "ls-files", "-v", "a.txt"))
	}
}

func TestSparseCheckoutOfAnAgentDoesNotReachTheNextTask(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	f.gitIn(ws.Dir, "sparse-checkout", "set", "tasks")
	require.NoFileExists(t, filepath.Join(ws.Dir, "dir/b.txt"))
	require.NoError(t, f.repo.Close(ctx(), "TASK-01", false))
	ws = f.fresh("TASK-02")
	require.FileExists(t, filepath.Join(ws.Dir, "dir/b.txt"))
	require.Empty(t, f.snapshot("TASK-02").Changes)
}

func TestIndexThatTheAgentRuinedIsNotAsked(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	admin := f.repo.held("TASK-01").admin
	require.NoError(t, os.WriteFile(filepath.Join(admin, "index"), []byte("junk"), 0o644))
	f.writeIn(ws.Dir, "a.txt", "two\n")
	require.Equal(t, []stages.Change{{Path: "a.txt", Action: "MODIFY"}}, f.snapshot("TASK-01").Changes)
}
