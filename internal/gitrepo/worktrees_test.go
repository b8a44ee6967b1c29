package gitrepo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// away makes a worktree of the user's whose folder is not there, as if its disk
// were not mounted.
func (f *fixture) away() string {
	f.t.Helper()
	dir, err := filepath.EvalSymlinks(f.t.TempDir())
	require.NoError(f.t, err)
	dir = filepath.Join(dir, "away")
	f.git("worktree", "add", "-q", "--detach", dir)
	require.NoError(f.t, os.RemoveAll(dir))
	return dir
}

func TestRemovingAWorktreeKeepsTheRecordOfTheUsers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	theirs := f.away()
	ws := f.fresh("TASK-01")
	require.NoError(t, os.Remove(filepath.Join(ws.Dir, ".git")), "git does not remove what is broken")

	require.NoError(t, f.repo.removeWorktree(ctx(), ws.Dir))

	require.NoDirExists(t, ws.Dir)
	list := f.git("worktree", "list", "--porcelain")
	require.Contains(t, list, theirs)
	require.NotContains(t, list, "slot-1")
}

func TestRemovingAWorktreeFollowsNoLink(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	theirs := f.away()
	f.git("worktree", "add", "-q", "-f", "--detach", theirs)
	f.writeIn(theirs, "untracked", "the user's\n")
	ws := f.fresh("TASK-01")
	f.git("worktree", "remove", "--force", ws.Dir)
	require.NoError(t, os.Symlink(theirs, ws.Dir))

	require.NoError(t, f.repo.removeWorktree(ctx(), ws.Dir))

	require.NoFileExists(t, ws.Dir)
	require.FileExists(t, filepath.Join(theirs, "untracked"))
	require.Contains(t, f.git("worktree", "list", "--porcelain"), theirs)
}

func TestLeftoversHoldWhatOnlyGitHasOnRecord(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.away()
	ws := f.fresh("TASK-01")
	require.NoError(t, os.RemoveAll(ws.Dir))

	left, err := f.repo.Leftovers(ctx())

	require.NoError(t, err)
	require.Len(t, left, 1)
	require.Equal(t, []string{ws.Dir}, left[0].Worktrees)
	require.NoError(t, f.repo.Clean(ctx(), left[0]))
	require.NotContains(t, f.git("worktree", "list"), "slot-1")
}

func TestCheckoutsAreThoseOfPeople(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	theirs := f.away()
	f.fresh("TASK-01")

	there, missing, err := f.repo.Checkouts()

	require.NoError(t, err)
	require.Subset(t, []string{f.repo.Root()}, there)
	require.Equal(t, []string{theirs}, missing)
}
