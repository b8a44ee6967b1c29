package gitrepo

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// landed builds a TASK of a session and lands it.
func (f *fixture) landed(task tasks.ID, files map[string]string) stages.Hash {
	f.t.Helper()
	res := f.land(f.build(task, files))
	require.Equal(f.t, "landed", res.Outcome)
	return res.Commit
}

// history is what has landed on the branch, the first landed first.
func (f *fixture) history() []Landed {
	f.t.Helper()
	all, err := f.repo.Landed(ctx(), f.tip(), "tasks")
	require.NoError(f.t, err)
	return all
}

// undo takes back what has landed, in the order given.
func (f *fixture) undo(back ...Landed) {
	f.t.Helper()
	tip := f.tip()
	to, _, err := f.repo.Revert(ctx(), tip, back, noon())
	require.NoError(f.t, err)
	blocked, behind, err := f.repo.Advance(ctx(), tip, to)
	require.NoError(f.t, err)
	require.Empty(f.t, append(blocked, behind...))
}

func TestUndoTakesBackEverythingACommitBrought(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	before := f.files(f.tip())
	f.landed("TASK-01", map[string]string{"a.txt": "two\n", "new/c.txt": "c\n"})
	middle := f.files(f.tip())
	f.landed("TASK-02", map[string]string{"new/d.txt": "d\n"})
	all := f.history()

	f.undo(all[1])
	require.Equal(t, middle, f.files(f.tip()))
	f.undo(all[0])

	require.Equal(t, before, f.files(f.tip()))
	require.Equal(t, "one\n", f.read("a.txt"))
	require.NoDirExists(t, filepath.Join(f.dir, "new"))
	require.Empty(t, f.git("status", "--porcelain"))
	require.Equal(t, "5", f.git("rev-list", "--count", "HEAD"), "nothing is rewritten")
}

func TestUndoOfSeveralMovesTheBranchOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.landed("TASK-01", map[string]string{"a.txt": "two\n"})
	f.landed("TASK-02", map[string]string{"a.txt": "three\n"})
	all := f.history()
	moves := strings.Count(f.git("reflog", "main"), "\n")

	f.undo(all[1], all[0])

	require.Equal(t, "one\n", f.read("a.txt"))
	require.Equal(t, moves+1, strings.Count(f.git("reflog", "main"), "\n"))
}

func TestUndoKeepsWhatALaterCommitChangedElsewhereInAFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.landed("TASK-01", map[string]string{"dir/b.txt": "one\n2\n3\n4\n5\n6\n7\n8\n9\n"})
	f.write("dir/b.txt", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n")
	f.commit("the user's")

	_, done, err := f.repo.Revert(ctx(), f.tip(), f.history(), noon())
	require.NoError(t, err)
	require.Equal(t, []string{"dir/b.txt"}, done[0].Merged)
	f.undo(f.history()...)

	require.Equal(t, "1\n2\n3\n4\n5\n6\n7\n8\nnine\n", f.read("dir/b.txt"))
}

func TestUndoThatConflictsNamesWhoAndWhereAndMovesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.landed("TASK-01", map[string]string{"a.txt": "two\n"})
	f.landed("TASK-02", map[string]string{"a.txt": "three\n"})
	tip := f.tip()

	_, _, err := f.repo.Revert(ctx(), tip, f.history()[:1], noon())

	var stuck *RevertError
	require.ErrorAs(t, err, &stuck)
	require.Equal(t, "TASK-02", stuck.With)
	require.Equal(t, []string{"a.txt"}, stuck.Paths)
	require.Equal(t, tip, f.tip())
}

func TestUndoWithUncommittedWorkInTheWayMovesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.landed("TASK-01", map[string]string{"a.txt": "two\n"})
	f.write("a.txt", "the user's\n")
	tip := f.tip()
	to, _, err := f.repo.Revert(ctx(), tip, f.history(), noon())
	require.NoError(t, err)

	way, err := f.repo.InTheWay(ctx(), tip, to)
	require.NoError(t, err)
	require.Equal(t, []string{"a.txt"}, way)
	blocked, _, err := f.repo.Advance(ctx(), tip, to)

	require.NoError(t, err)
	require.Equal(t, []string{"a.txt"}, blocked)
	require.Equal(t, tip, f.tip())
	require.Equal(t, "the user's\n", f.read("a.txt"))
}

func TestUndoOnABranchThatMovedMeanwhileMovesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.landed("TASK-01", map[string]string{"a.txt": "two\n"})
	tip := f.tip()
	to, _, err := f.repo.Revert(ctx(), tip, f.history(), noon())
	require.NoError(t, err)
	f.git("commit", "-q", "--allow-empty", "-m", "the user's")
	theirs := f.head()

	_, _, err = f.repo.Advance(ctx(), tip, to)

	require.ErrorContains(t, err, "moved meanwhile")
	require.Equal(t, theirs, f.head())
	require.Equal(t, "two\n", f.read("a.txt"))
}

func TestUndoWaitsWhileTheCheckoutHoldsATask(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.landed("TASK-01", map[string]string{"a.txt": "two\n"})
	tip := f.tip()
	to, _, err := f.repo.Revert(ctx(), tip, f.history(), noon())
	require.NoError(t, err)
	require.NoError(t, mark{session: "s9", task: "TASK-07", base: string(tip)}.write(f.repo.checkoutMark()))
	f.write("half.txt", "what its builder left\n")

	_, err = f.repo.InTheWay(ctx(), tip, to)

	var refusal *Refusal
	require.ErrorAs(t, err, &refusal)
	require.Contains(t, refusal.What, "TASK-07 of session s9")
}

func TestUndoneCommitIsSignedAsCandidatesAre(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.landed("TASK-01", map[string]string{"a.txt": "two\n"})
	f.signs()
	f.open()

	f.undo(f.history()...)

	require.Contains(t, f.git("cat-file", "commit", "HEAD"), "BEGIN PGP SIGNATURE")
}

func TestMergeThatNamesATaskIsNotTakenBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("switch", "-q", "-c", "side")
	f.open()
	f.landed("TASK-01", map[string]string{"a.txt": "two\n"})
	f.git("switch", "-q", "main")
	f.git("merge", "-q", "--no-ff", "-m", "Merge\n\nPipeline-Task: TASK-01", "side")
	f.open()
	all := f.history()

	_, _, err := f.repo.Revert(ctx(), f.tip(), all[len(all)-1:], noon())

	var refusal *Refusal
	require.ErrorAs(t, err, &refusal)
	require.Contains(t, refusal.Next, "git revert -m 1 ")
}
