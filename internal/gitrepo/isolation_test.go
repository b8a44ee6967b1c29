package gitrepo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
)

func inCheckout(c *Config) { c.Isolation = None }

func TestIsolationNoneBuildsInTheCheckout(t *testing.T) {
	t.Parallel()
	f := newFixture(t, inCheckout)
	base := f.tip()
	index := f.read(".git/index")
	ws := f.fresh("TASK-01")
	require.Equal(t, f.repo.Root(), ws.Dir)
	f.write("new.txt", "x\n")
	f.write("a.txt", "two\n")
	require.NoError(t, os.Remove(filepath.Join(f.dir, "dir/b.txt")))
	require.NoError(t, os.WriteFile(ws.Progress, []byte("p\n"), 0o644))
	h, snap := f.candidate("TASK-01", base)
	require.Len(t, snap.Changes, 3)
	require.Equal(t, index, f.read(".git/index"), "the user's index is not disturbed before the landing")

	require.Equal(t, "landed", f.land(stages.Landing{Task: "TASK-01", Candidate: h, Base: base}).Outcome)
	require.NoError(t, f.repo.Close(ctx(), "TASK-01", false))

	require.Empty(t, f.git("status", "--porcelain"))
	require.FileExists(t, filepath.Join(f.dir, "tasks/TASK-01_result.md"))
	f.fresh("TASK-02")
	require.Empty(t, f.snapshot("TASK-02").Changes)
	require.NoError(t, f.repo.Close(ctx(), "TASK-02", false))
	require.NoError(t, f.repo.Release(ctx()))
	require.NoFileExists(t, f.repo.checkoutMark())
}

func TestIsolationNoneHandsTheCheckoutOverAndKeepsWhatWasLeft(t *testing.T) {
	t.Parallel()
	f := newFixture(t, inCheckout)
	base := f.tip()
	f.fresh("TASK-01")
	f.write("one.txt", "1\n")
	snap := f.snapshot("TASK-01")
	require.NoError(t, f.repo.Close(ctx(), "TASK-01", true))

	f.fresh("TASK-02")
	require.Empty(t, f.git("status", "--porcelain"), "TASK-02 begins on its base")
	require.Empty(t, f.snapshot("TASK-02").Changes)
	text, ok, err := f.repo.Read(stages.Hash(f.git("rev-parse", "refs/pipeline/s1/TASK-01.left")), "one.txt")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "1\n", string(text))

	f.lease(stages.Lease{Task: "TASK-01", Base: base, Mode: stages.Exact, Tree: snap.Tree})
	require.Equal(t, "1\n", f.read("one.txt"), "TASK-01 comes back to its snapshot")
}

func TestIsolationNoneHandsTheCheckoutOverWhenTheBranchHasMovedOn(t *testing.T) {
	t.Parallel()
	f := newFixture(t, inCheckout)
	f.fresh("TASK-01")
	f.git("commit", "-q", "--allow-empty", "-m", "By hand")
	f.write("one.txt", "1\n")

	f.fresh("TASK-02")
	require.Empty(t, f.git("status", "--porcelain"), "TASK-02 begins on its base")
	require.Equal(t, "1", f.git("show", "refs/pipeline/s1/TASK-01.left:one.txt"))
}

func TestIsolationNoneGoesOnAfterAKillFromTheRecordedSnapshot(t *testing.T) {
	t.Parallel()
	f := newFixture(t, inCheckout)
	base := f.tip()
	f.fresh("TASK-01")
	f.write("half.txt", "x\n")
	f.snapshot("TASK-01")

	f.open(inCheckout)

	f.lease(stages.Lease{Task: "TASK-01", Base: base, Mode: stages.Keep})
	require.Equal(t, []stages.Change{{Path: "half.txt", Action: "CREATE"}}, f.snapshot("TASK-01").Changes)
}

func TestSessionBegunInTheCheckoutGoesOnThere(t *testing.T) {
	t.Parallel()
	f := newFixture(t, inCheckout)
	f.fresh("TASK-01")
	_, err := Open(ctx(), Config{Dir: f.dir, Session: "s1", TasksDir: filepath.Join(f.dir, "tasks")})
	var refusal *Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, "go on with --isolation none", refusal.Next)
	_, err = Open(ctx(), Config{Dir: f.dir, Session: "s2", TasksDir: filepath.Join(f.dir, "tasks")})
	require.NoError(t, err, "another session may work in worktrees")
}

func TestMarkOfASessionThatWasKilledAtItsEndIsCleanedUp(t *testing.T) {
	t.Parallel()
	f := newFixture(t, inCheckout)
	f.fresh("TASK-01")
	f.write("mine.txt", "x\n")
	require.NoError(t, f.repo.Close(ctx(), "TASK-01", false))
	require.NoError(t, os.WriteFile(f.repo.checkoutMark()+".new", nil, 0o644))

	left, err := f.repo.Leftovers(ctx())
	require.NoError(t, err)
	require.Equal(t, []Leftover{{Session: "s1", Refs: map[string]stages.Hash{}, Checkout: true}}, left)
	require.NoError(t, f.repo.Clean(ctx(), left[0]))
	require.NoFileExists(t, f.repo.checkoutMark())
	require.NoFileExists(t, f.repo.checkoutMark()+".new")
	require.Equal(t, "x\n", f.read("mine.txt"))
}

func TestFirstRunThatWasKilledIsNotInTheWayOfIsolationNone(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.write(".pipeline/..gitignore123", "*")
	_, err := Open(ctx(), f.config(inCheckout))
	require.NoError(t, err)
}

func TestIsolationNoneNeverPutsBackWhatMayBeTheUsers(t *testing.T) {
	t.Parallel()
	for _, recorded := range []bool{false, true} {
		f := newFixture(t, inCheckout)
		f.fresh("TASK-01")
		f.write("half.txt", "x\n")
		if recorded {
			f.snapshot("TASK-01")
		}
		f.write("mine.txt", "the user's\n")
		f.write("a.txt", "the user's\n")

		c := f.config()
		c.Isolation = None
		_, err := Open(ctx(), c)

		var refusal *Refusal
		require.ErrorAs(t, err, &refusal)
		require.ErrorContains(t, err, "a.txt")
		require.ErrorContains(t, err, "mine.txt")
		require.Equal(t, "the user's\n", f.read("mine.txt"))
		require.Equal(t, "the user's\n", f.read("a.txt"))
	}
}

func TestIsolationNoneExactAndFreshPutFilesBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t, inCheckout)
	base := f.tip()
	f.fresh("TASK-01")
	f.write("new.txt", "x\n")
	snap := f.snapshot("TASK-01")
	f.write("new.txt", "tampered\n")
	f.write("a.txt", "tampered\n")

	ws := f.lease(stages.Lease{Task: "TASK-01", Base: base, Mode: stages.Exact, Tree: snap.Tree})
	require.Equal(t, []string{"a.txt", "new.txt"}, ws.Undone)
	require.Equal(t, snap.Tree, f.snapshot("TASK-01").Tree)

	f.fresh("TASK-01")
	require.Empty(t, f.git("status", "--porcelain"))
}

func TestIsolationNoneLandingOverAUsersEditIsBlocked(t *testing.T) {
	t.Parallel()
	f := newFixture(t, inCheckout)
	base := f.tip()
	f.fresh("TASK-01")
	f.write("new.txt", "x\n")
	h, _ := f.candidate("TASK-01", base)
	f.write("new.txt", "the user's\n")

	res := f.land(stages.Landing{Task: "TASK-01", Candidate: h, Base: base})

	require.Equal(t, "blocked", res.Outcome)
	require.Equal(t, []string{"new.txt"}, res.Paths)
	require.Equal(t, "the user's\n", f.read("new.txt"))
}
