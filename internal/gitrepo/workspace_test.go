package gitrepo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

func TestWorkspaceStandsOnBaseWithDetachedHead(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")

	require.True(t, strings.HasPrefix(ws.Dir, filepath.Join(f.repo.CommonDir(), "pipeline")), "outside the checkout")
	require.Equal(t, "HEAD", f.gitIn(ws.Dir, "rev-parse", "--abbrev-ref", "HEAD"))
	require.Equal(t, string(f.head()), f.gitIn(ws.Dir, "rev-parse", "HEAD"))
	require.Empty(t, f.gitIn(ws.Dir, "status", "--porcelain"))
	require.Equal(t, "tasks/TASK-01_progress.md", ws.ProgressPath)
	require.Equal(t, "tasks/TASK-01_result.md", ws.ResultPath)
	require.Equal(t, filepath.Join(ws.Dir, "tasks", "TASK-01_progress.md"), ws.Progress)
	require.Equal(t, ws, f.repo.Where("TASK-01"))
	require.Equal(t, "* main", f.git("branch"), "no branch is made")
	require.Empty(t, f.git("status", "--porcelain"), "the checkout does not see it")
}

func TestFreshLeavesOutTheTasksOldRecords(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.land(f.build("TASK-01", nil))
	require.FileExists(t, filepath.Join(f.dir, "tasks", "TASK-01_result.md"))

	ws := f.fresh("TASK-01")

	require.NoFileExists(t, ws.Progress)
	require.NoFileExists(t, filepath.Join(ws.Dir, ws.ResultPath))
	require.Empty(t, f.snapshot("TASK-01").Changes)
}

func TestFreshForgetsTheLastAttempt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	f.writeIn(ws.Dir, "new.txt", "x\n")
	f.writeIn(ws.Dir, "a.txt", "x\n")
	f.gitIn(ws.Dir, "add", "a.txt")
	f.gitIn(ws.Dir, "init", "-q", "clone")
	f.writeIn(ws.Dir, "clone/x", "x\n")
	f.write(".git/info/exclude", "cache\n")
	f.writeIn(ws.Dir, "cache/object.o", "kept\n")
	require.NoError(t, os.WriteFile(filepath.Join(f.repo.held("TASK-01").admin, "index.lock"), nil, 0o644), "a git that was killed")

	f.fresh("TASK-01")

	require.Empty(t, f.snapshot("TASK-01").Changes)
	require.FileExists(t, filepath.Join(ws.Dir, "cache/object.o"), "what is ignored stays")
}

func TestBrokenIndexIsMadeAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.fresh("TASK-01")
	require.NoError(t, os.WriteFile(filepath.Join(f.repo.held("TASK-01").admin, "index"), []byte("rubbish"), 0o644))

	f.fresh("TASK-01")

	require.Empty(t, f.snapshot("TASK-01").Changes)
}

func TestExactTellsWhatItPutBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	base := f.tip()
	ws := f.fresh("TASK-01")
	f.writeIn(ws.Dir, "new.txt", "x\n")
	snap := f.snapshot("TASK-01")
	exact := stages.Lease{Task: "TASK-01", Base: base, Mode: stages.Exact, Tree: snap.Tree}
	require.Empty(t, f.lease(exact).Undone)

	f.writeIn(ws.Dir, "new.txt", "tampered\n")
	f.writeIn(ws.Dir, "report.txt", "added\n")
	require.NoError(t, os.Remove(filepath.Join(ws.Dir, "a.txt")))
	f.gitIn(ws.Dir, "add", "-A")
	f.gitIn(ws.Dir, "commit", "-qm", "by the verifier")

	require.Equal(t, []string{"a.txt", "new.txt", "report.txt"}, f.lease(exact).Undone)
	require.Equal(t, snap.Tree, f.snapshot("TASK-01").Tree)
}

func TestSlotGoesToTheNextTask(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.fresh("TASK-01")
	f.writeIn(first.Dir, "left.txt", "x\n")
	require.NoError(t, f.repo.Close(ctx(), "TASK-01", false))
	f.write("a.txt", "moved on\n")
	f.commit("moved on")

	second := f.fresh("TASK-02")

	require.Equal(t, first.Dir, second.Dir)
	require.Empty(t, f.snapshot("TASK-02").Changes)
	b, err := os.ReadFile(filepath.Join(second.Dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "moved on\n", string(b))
	require.Empty(t, f.repo.Where("TASK-01").Dir)
}

func TestKeptWorkspaceIsFoundAgainByTheNextRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	base := f.tip()
	ws := f.fresh("TASK-01")
	f.writeIn(ws.Dir, "half.txt", "x\n")
	require.NoError(t, f.repo.Close(ctx(), "TASK-01", true))
	free := f.fresh("TASK-02")
	require.NoError(t, f.repo.Close(ctx(), "TASK-02", false))
	require.NoError(t, f.repo.Release(ctx()))
	require.NoDirExists(t, free.Dir)

	f.open()

	again := f.lease(stages.Lease{Task: "TASK-01", Base: base, Mode: stages.Keep})
	require.Equal(t, ws.Dir, again.Dir)
	require.Equal(t, []stages.Change{{Path: "half.txt", Action: "CREATE"}}, f.snapshot("TASK-01").Changes)
}

func TestReleaseLeavesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"new.txt": "x\n"})
	f.land(l)
	require.NoError(t, f.repo.Close(ctx(), "TASK-01", false))
	require.NoError(t, f.repo.Release(ctx()))

	require.Len(t, strings.Split(f.git("worktree", "list"), "\n"), 1)
	require.NoDirExists(t, f.repo.slotsDir())
}

func TestPlaceOfASlotThatVanishedIsNotGivenToAnotherTask(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	gone := f.fresh("TASK-01")
	require.NoError(t, os.RemoveAll(filepath.Dir(gone.Dir)))
	other := f.fresh("TASK-02")
	require.NotEqual(t, gone.Dir, other.Dir)
	var fault *stages.Fault
	require.ErrorAs(t, f.repo.Intact("TASK-01"), &fault)
	require.True(t, fault.Lost)
	f.fresh("TASK-01")
	require.NoError(t, f.repo.Intact("TASK-02"), "TASK-01 threw away its own")
	require.NoError(t, f.repo.Intact("TASK-01"))
}

func TestWorkspaceThatVanishesAsItIsOpenedIsLost(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *Config) { c.Prepare = []string{`rm -rf "$PWD"`} })
	_, err := f.repo.Open(ctx(), stages.Lease{Task: "TASK-01", Base: f.tip(), Mode: stages.Fresh})
	f.requireFault(err, "is gone")
}

func TestErrorOfAWorkspaceThatHasVanishedIsThatItIsLost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	full := errors.New("disk full")
	require.Equal(t, full, f.repo.orLost("TASK-01", full))
	require.NoError(t, os.RemoveAll(ws.Dir))
	f.requireFault(f.repo.orLost("TASK-01", full), "is gone")
}

func TestWhatAVerifierLeftIsSetAsideForARetry(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	f.writeIn(ws.Dir, "new.txt", "built\n")
	snap := f.snapshot("TASK-01")
	f.writeIn(ws.Dir, "cover.out", "litter\n")

	again, err := f.repo.Open(ctx(), stages.Lease{Task: "TASK-01", Base: f.tip(), Mode: stages.Carry, From: snap.Tree, FromBase: f.tip()})

	require.NoError(t, err)
	require.Equal(t, []string{"cover.out"}, again.Undone)
	require.Equal(t, []stages.Change{{Path: "new.txt", Action: "CREATE"}}, f.snapshot("TASK-01").Changes)
	require.Equal(t, "litter", f.git("show", "refs/pipeline/s1/TASK-01.left:cover.out"), "somebody may have put it there by hand")
}

func TestManyTasksAtOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	base := f.tip()
	var g errgroup.Group
	landings := make([]stages.Landing, 8)
	for i := range landings {
		g.Go(func() error {
			id := tasks.ID(fmt.Sprintf("TASK-%02d", i+1))
			ws, err := f.repo.Open(ctx(), stages.Lease{Task: id, Base: base})
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(ws.Dir, string(id)), []byte("x"), 0o644); err != nil {
				return err
			}
			snap, err := f.repo.Snapshot(ctx(), id, nil)
			if err != nil {
				return err
			}
			h, err := f.repo.Candidate(ctx(), f.described(id, base, snap.Tree))
			landings[i] = stages.Landing{Task: id, Candidate: h, Base: base}
			return err
		})
	}
	require.NoError(t, g.Wait())
	for _, l := range landings {
		res := f.land(l)
		if res.Outcome == "moved" {
			h, err := f.repo.Candidate(ctx(), f.described(l.Task, res.Onto, res.Tree))
			require.NoError(t, err)
			res = f.land(stages.Landing{Task: l.Task, Candidate: h, Base: res.Onto})
		}
		require.Equal(t, "landed", res.Outcome)
	}
	require.Equal(t, "9", f.git("rev-list", "--count", "HEAD"))
	require.Empty(t, f.git("status", "--porcelain"))
}

func TestReleaseRemovesTheIndexesOfAKilledRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, index := range []string{f.repo.landingIndex(), f.repo.checkoutIndex()} {
		f.writeIn(filepath.Dir(index), filepath.Base(index), "x")
	}
	require.NoError(t, f.repo.Release(ctx()))
	require.NoFileExists(t, f.repo.landingIndex())
	require.NoFileExists(t, f.repo.checkoutIndex())
}
