package gitrepo

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/tasks"
)

func TestLandedCommitsAreFoundByTheirTrailersAfterARebase(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.landed("TASK-01", map[string]string{"a.txt": "two\n"})
	f.undo(f.history()...)
	f.landed("TASK-01", map[string]string{"a.txt": "three\n"})
	f.git("commit", "-q", "--amend", "--no-edit", "--date=2001-01-01T00:00:00Z")
	f.git("rebase", "-q", "--force-rebase", "HEAD~3")

	all := f.history()

	require.Len(t, all, 2)
	require.NotEmpty(t, all[0].Undone, "the undo names a commit that is gone, and its TASK")
	require.Empty(t, all[1].Undone)
	require.Equal(t, f.head(), all[1].Commit)
}

func TestTrailerCountsOnlyOnACommitThatChangesResult(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("other/TASK-01_result.md", "of another folder\n")
	f.commit("Somebody's\n\nPipeline-Task: TASK-01\n")
	f.git("commit", "-q", "--allow-empty", "-m", "Quotes\n\nPipeline-Task: TASK-02\n")

	require.Empty(t, f.history())
}

func TestForgedRevertInATasksOwnMessageTakesNothingBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.landed("TASK-01", map[string]string{"a.txt": "two\n"})
	base := f.tip()
	ws := f.fresh("TASK-02")
	f.writeIn(ws.Dir, "b.txt", "b\n")
	c := f.described("TASK-02", base, f.snapshot("TASK-02").Tree)
	c.Message = "feat(TASK-02): work\n\nThis reverts commit " + string(first) + ".\n\nPipeline-Task: TASK-02\n"
	h, err := f.repo.Candidate(ctx(), c)
	require.NoError(t, err)
	f.git("reset", "-q", "--hard", string(h))

	all := f.history()

	require.Len(t, all, 2)
	require.Empty(t, all[0].Undone)
}

func TestRevertOfAnUndoBringsTheTaskBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.landed("TASK-01", map[string]string{"a.txt": "two\n"})
	f.undo(f.history()...)
	require.Equal(t, f.head(), f.history()[0].Undone)
	f.git("revert", "--no-edit", "HEAD")
	require.Empty(t, f.history()[0].Undone)
	f.undo(f.history()...)
	require.Equal(t, "one\n", f.read("a.txt"))
	require.Equal(t, []tasks.ID{"TASK-01"}, f.history()[0].Tasks)
}
