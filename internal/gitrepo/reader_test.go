package gitrepo

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
)

func TestReaderReadsCommitsAndTrees(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	first := f.head()
	f.write("a.txt", "two\n")
	second := f.commit("second")
	r, err := Find(ctx(), filepath.Join(f.dir, "dir"))
	require.NoError(t, err)
	require.Equal(t, f.git("rev-parse", "--show-toplevel"), r.Root())

	commit, branch, err := r.Head(ctx())
	require.NoError(t, err)
	require.Equal(t, second, commit)
	require.Equal(t, "main", branch)

	b, ok, err := r.Read(first, "dir/b.txt")
	require.NoError(t, err)
	require.True(t, ok)
	require.Contains(t, string(b), "1\n2\n")
	for _, path := range []string{"dir", "none", "a.txt/below", "dir/none/none"} {
		_, ok, err = r.Read(first, path)
		require.NoError(t, err, path)
		require.False(t, ok, path)
	}

	names, err := r.ReadDir(first, "tasks")
	require.NoError(t, err)
	require.Len(t, names, 1)
	b, err = r.Blob(names["TASK-01.md"], 6)
	require.NoError(t, err)
	require.Equal(t, "# TASK", string(b))
	names, err = r.ReadDir(first, "none")
	require.NoError(t, err)
	require.Empty(t, names)

	changes, err := r.Changes(first, second)
	require.NoError(t, err)
	require.Equal(t, []stages.Change{{Path: "a.txt", Action: "MODIFY"}}, changes)
	diff, err := r.Diff(ctx(), first, second)
	require.NoError(t, err)
	require.Contains(t, string(diff), "--- a/a.txt\n+++ b/a.txt\n")

	for _, c := range []struct {
		commit, tip stages.Hash
		want        bool
	}{{first, second, true}, {second, second, true}, {second, first, false}} {
		ok, err := r.Reachable(ctx(), c.commit, c.tip)
		require.NoError(t, err)
		require.Equal(t, c.want, ok)
	}
	set, err := r.Commits(ctx(), first, second)
	require.NoError(t, err)
	require.Equal(t, map[stages.Hash]bool{second: true}, set)
	set, err = r.Commits(ctx(), "", second)
	require.NoError(t, err)
	require.Len(t, set, 2)

	_, _, err = r.Read("0123456789012345678901234567890123456789", "a.txt")
	require.Error(t, err)
}

func TestObjectsPackedMeanwhileAreFound(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, _, err := f.repo.Read(f.tip(), "a.txt")
	require.NoError(t, err)
	f.git("gc", "-q")
	f.write("a.txt", "two\n")
	f.commit("second")
	f.git("gc", "-q", "--prune=now")

	b, ok, err := f.repo.Read(f.tip(), "a.txt")

	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "two\n", string(b))
}

func TestDetachedHeadHasNoBranch(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.git("checkout", "-q", "--detach")
	r, err := Find(ctx(), f.dir)
	require.NoError(t, err)
	commit, branch, err := r.Head(ctx())
	require.NoError(t, err)
	require.Equal(t, f.head(), commit)
	require.Empty(t, branch)
}

func TestInheritedGitVariablesDoNotMisleadUs(t *testing.T) {
	// Not parallel: it sets the process's environment.
	f := newRepository(t)
	t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "elsewhere"))
	t.Setenv("GIT_INDEX_FILE", "/nowhere")
	r, err := Find(ctx(), f.dir)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(r.Root(), ".git"), r.CommonDir())
}

func TestCleaningOfRefsIsNotCutOff(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.build("TASK-01", map[string]string{"new.txt": "x\n"})
	require.NoError(t, f.repo.Close(ctx(), "TASK-01", false))
	require.NoError(t, f.repo.Release(ctx()))
	left, err := f.repo.Leftovers(ctx())
	require.NoError(t, err)
	require.Len(t, left, 1)

	cancelled, cancel := context.WithCancel(ctx())
	cancel()
	require.NoError(t, f.repo.Clean(cancelled, left[0]))
	require.Empty(t, f.git("for-each-ref", "refs/pipeline"))
}

func TestCleanRemovesWhatASessionKept(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.build("TASK-01", map[string]string{"new.txt": "x\n"})
	f.build("TASK-02", map[string]string{"new.txt": "x\n"})
	ws := f.repo.Where("TASK-01")
	require.NoError(t, os.MkdirAll(filepath.Join(ws.Dir, "cache"), 0o755))
	f.writeIn(ws.Dir, "cache/ro/file", "x")
	require.NoError(t, os.Chmod(filepath.Join(ws.Dir, "cache/ro"), 0o555))
	require.NoError(t, os.RemoveAll(filepath.Join(f.repo.Where("TASK-02").Dir, ".git")), "a broken one")

	left, err := f.repo.Leftovers(ctx())
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.Equal(t, "s1", left[0].Session)
	require.Len(t, left[0].Worktrees, 2)
	require.Len(t, left[0].Refs, 4)

	require.NoError(t, f.repo.Clean(ctx(), left[0]))

	left, err = f.repo.Leftovers(ctx())
	require.NoError(t, err)
	require.Empty(t, left)
	require.Empty(t, f.git("for-each-ref", "refs/pipeline"))
	require.NoDirExists(t, ws.Dir)
	entries, err := os.ReadDir(filepath.Join(f.dir, ".git", "worktrees"))
	require.True(t, os.IsNotExist(err) || len(entries) == 0, "no record of a worktree is left")
}
