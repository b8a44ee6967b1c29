package gitrepo

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-git/go-git/v5/plumbing"
)

// aged makes a file look as if it had been written long ago, to git as well.
func (f *fixture) aged(dir string, paths ...string) {
	f.t.Helper()
	for _, path := range paths {
		long := time.Now().Add(-time.Hour).Truncate(time.Second)
		require.NoError(f.t, os.Chtimes(filepath.Join(dir, path), long, long))
	}
	for _, s := range f.repo.slots {
		if s.dir == dir {
			_, err := s.git.run(ctx(), "update-index", "-q", "--refresh")
			require.NoError(f.t, err)
		}
	}
}

func TestSlotIsMovedByItsDifferenceOnly(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	f.aged(ws.Dir, "a.txt", "dir/b.txt", "tasks/TASK-01.md")
	look := func(path string) os.FileInfo {
		info, err := os.Lstat(filepath.Join(ws.Dir, path))
		require.NoError(t, err)
		return info
	}
	same, moved := look("dir/b.txt"), look("a.txt")
	require.NoError(t, f.repo.Close(ctx(), "TASK-01", false))
	f.write("a.txt", "moved on\n")
	f.commit("moved on")

	require.Equal(t, ws.Dir, f.fresh("TASK-02").Dir)

	require.True(t, os.SameFile(same, look("dir/b.txt")))
	require.Equal(t, same.ModTime(), look("dir/b.txt").ModTime(), "not written again")
	require.NotEqual(t, moved.ModTime(), look("a.txt").ModTime())
}

func TestFolderInTheWayOfASlotIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	foreign := filepath.Join(f.repo.slotsDir(), "slot-1")
	f.writeIn(foreign, "precious", "x\n")
	f.open()

	ws := f.fresh("TASK-01")

	require.Equal(t, filepath.Join(f.repo.slotsDir(), "slot-2"), ws.Dir)
	require.NoError(t, f.repo.Close(ctx(), "TASK-01", false))
	require.NoError(t, f.repo.Release(ctx()))
	require.FileExists(t, filepath.Join(foreign, "precious"))
}

func TestSlotOutlivesAPruneAndALock(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	f.git("worktree", "prune", "--expire=now")
	f.git("worktree", "lock", ws.Dir)
	f.fresh("TASK-01")
	require.Empty(t, f.snapshot("TASK-01").Changes)

	require.NoError(t, f.repo.Close(ctx(), "TASK-01", false))
	require.NoError(t, f.repo.Release(ctx()))

	require.NoDirExists(t, ws.Dir)
}

func TestCleanPacksWhatASessionHasPiledUp(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("config", "gc.auto", "1")
	f.land(f.build("TASK-01", map[string]string{"new.txt": "x\n"}))
	pinned := string(f.snapshot("TASK-01").Tree)
	loose := filepath.Join(f.dir, ".git", "objects", pinned[:2], pinned[2:])
	require.FileExists(t, loose)
	for i := 0; ; i++ { // git goes by what lies in this folder
		_, err := f.repo.objects.put(plumbing.BlobObject, []byte{byte(i), byte(i >> 8)})
		require.NoError(t, err)
		if files, _ := filepath.Glob(filepath.Join(f.dir, ".git", "objects", "17", "*")); len(files) > 2 {
			break
		}
	}
	require.NoError(t, f.repo.Close(ctx(), "TASK-01", false))
	require.NoError(t, f.repo.Release(ctx()))
	left, err := f.repo.Leftovers(ctx())
	require.NoError(t, err)

	require.NoError(t, f.repo.Clean(ctx(), left[0]))

	require.NoFileExists(t, loose, "packed, though no ref holds it any more")
	require.Equal(t, "tree", f.git("cat-file", "-t", pinned))
	require.Empty(t, f.git("for-each-ref", "refs/pipeline"))
}

func TestIndexOfAKilledRunIsRemoved(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, err := f.repo.ownIndex()
	require.NoError(t, err)
	other := f.open(func(c *Config) { c.Session = "s1-2" })
	killed, err := other.ownIndex()
	require.NoError(t, err)

	f.open()

	require.NoDirExists(t, f.repo.indexesDir())
	require.DirExists(t, killed, "of another session, which may be at work")
	require.NoError(t, f.repo.Clean(ctx(), Leftover{Session: "s1-2"}))
	require.NoDirExists(t, killed)
}
