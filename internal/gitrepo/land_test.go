package gitrepo

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
)

func TestCandidateOnTheTipLandsAsItIs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"new.txt": "new\n", "a.txt": "two\n"})
	before := f.head()

	res := f.land(l)

	require.Equal(t, "landed", res.Outcome)
	require.Equal(t, l.Candidate, res.Commit)
	require.Equal(t, l.Candidate, f.head())
	require.Equal(t, "new\n", f.read("new.txt"))
	require.Equal(t, "two\n", f.read("a.txt"))
	require.Empty(t, f.git("status", "--porcelain"))
	require.Equal(t, string(before), f.git("rev-parse", "HEAD^"))
	require.NoFileExists(t, f.repo.landingMark())
}

func TestCommitHoldsTheSnapshotAndTheTwoRecordsAndNothingElse(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("staged.txt", "the user's\n")
	f.git("add", "staged.txt")
	f.write("dir/b.txt", "the user's own edit\n")
	f.write("untracked.txt", "the user's\n")
	l := f.build("TASK-01", map[string]string{"new.txt": "new\n"})

	require.Equal(t, "landed", f.land(l).Outcome)

	require.Equal(t, "A\tnew.txt\nA\ttasks/TASK-01_progress.md\nA\ttasks/TASK-01_result.md",
		f.git("diff-tree", "-r", "--no-commit-id", "--name-status", "HEAD"))
	require.Equal(t, " M dir/b.txt\nA  staged.txt\n?? untracked.txt", f.git("status", "--porcelain"), "the user's files stay as they were")
	require.Equal(t, "the user's own edit\n", f.read("dir/b.txt"))
}

func TestLandingOverUncommittedWorkIsBlocked(t *testing.T) {
	t.Parallel()
	for name, dirty := range map[string]func(*fixture){
		"a modified file":              func(f *fixture) { f.write("a.txt", "mine\n") },
		"a staged file":                func(f *fixture) { f.write("a.txt", "mine\n"); f.git("add", "a.txt") },
		"an untracked file":            func(f *fixture) { f.write("new/deep.txt", "mine\n") },
		"an ignored file":              func(f *fixture) { f.write(".git/info/exclude", "new\n"); f.write("new/deep.txt", "mine\n") },
		"a file for a directory":       func(f *fixture) { f.write("new", "mine\n") },
		"an ignored file for a dir":    func(f *fixture) { f.write(".git/info/exclude", "new\n"); f.write("new", "mine\n") },
		"a directory for a file":       func(f *fixture) { f.write("file.txt/mine", "mine\n") },
		"an ignored dir for a file":    func(f *fixture) { f.write(".git/info/exclude", "mine\n"); f.write("file.txt/mine", "mine\n") },
		"an assumed-unchanged edit":    func(f *fixture) { f.git("update-index", "--assume-unchanged", "a.txt"); f.write("a.txt", "mine\n") },
		"a skip-worktree edit":         func(f *fixture) { f.git("update-index", "--skip-worktree", "a.txt"); f.write("a.txt", "mine\n") },
		"an empty directory's symlink": func(f *fixture) { require.NoError(t, os.Symlink("/nowhere", filepath.Join(f.dir, "file.txt"))) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			l := f.build("TASK-01", map[string]string{"a.txt": "two\n", "new/deep.txt": "x\n", "file.txt": "y\n"})
			before := f.head()
			dirty(f)
			status := f.git("status", "--porcelain", "--ignored")

			res := f.land(l)

			require.Equal(t, "blocked", res.Outcome)
			require.NotEmpty(t, res.Paths)
			require.Equal(t, before, f.head(), "the branch did not move")
			require.Equal(t, status, f.git("status", "--porcelain", "--ignored"))
			require.Equal(t, string(l.Candidate), f.git("rev-parse", "refs/pipeline/s1/TASK-01"), "the candidate is kept")
		})
	}
}

func TestTipThatMovedElsewhereIsMergedPathWise(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"new.txt": "new\n"})
	f.write("a.txt", "theirs\n")
	tip := f.commit("theirs")

	res := f.land(l)

	require.Equal(t, "moved", res.Outcome)
	require.Equal(t, tip, res.Onto)
	require.Equal(t, tip, f.head(), "nothing lands before it is verified again")
	require.Equal(t, []string{
		"100644 a.txt", "100644 dir/b.txt", "100644 new.txt", "100644 tasks/TASK-01.md",
		"100644 tasks/TASK-01_progress.md", "100644 tasks/TASK-01_result.md",
	}, f.files(res.Tree))
	require.Equal(t, "theirs", f.git("show", string(res.Tree)+":a.txt"))

	ws := f.lease(stages.Lease{Task: "TASK-01", Base: tip, Mode: stages.Exact, Tree: res.Tree})
	require.Empty(t, ws.Undone, "another base is no tampering")
	require.Equal(t, res.Tree, f.snapshot("TASK-01").Tree)
	again, err := f.repo.Candidate(ctx(), f.described("TASK-01", tip, res.Tree))
	require.NoError(t, err)
	require.Equal(t, "landed", f.land(stages.Landing{Task: "TASK-01", Candidate: again, Base: tip}).Outcome)
	require.Empty(t, f.git("status", "--porcelain"))
}

func TestTextsThatMergeAreMoved(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"dir/b.txt": "1\n2\n3\n4\n5\n6\n7\n8\nnine\n"})
	f.write("dir/b.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9\n")
	f.commit("theirs")

	res := f.land(l)

	require.Equal(t, "moved", res.Outcome)
	require.Equal(t, "one\n2\n3\n4\n5\n6\n7\n8\nnine", f.git("show", string(res.Tree)+":dir/b.txt"))
}

func TestConflictNamesTheOtherTask(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"a.txt": "mine\n", "new.txt": "new\n"})
	f.write("a.txt", "theirs\n")
	f.commit("feat: theirs\n\nPipeline-Task: TASK-05")
	f.write("other.txt", "later\n")
	tip := f.commit("feat: later\n\nPipeline-Task: TASK-06")

	res := f.land(l)

	require.Equal(t, stages.LandingResult{Outcome: "conflict", Onto: tip, With: "TASK-05", Paths: []string{"a.txt"}}, res)
}

func TestConflictWithSomebodyElseNamesTheCommit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"a.txt": "mine\n"})
	f.write("a.txt", "theirs\n")
	tip := f.commit("a person\n\nPipeline-Task: TASK-05; rm -rf /")

	require.Equal(t, tip.Short(), f.land(l).With)
}

func TestCarryAppliesWhatDoesNotMeet(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"a.txt": "mine\n", "new.txt": "new\n"})
	f.write("a.txt", "theirs\n")
	tip := f.commit("theirs")

	ws := f.lease(stages.Lease{Task: "TASK-01", Base: tip, Mode: stages.Carry, FromBase: l.Base, From: l.Candidate})

	require.Equal(t, []stages.Change{{Path: "new.txt", Action: "CREATE"}}, f.snapshot("TASK-01").Changes)
	b, err := os.ReadFile(filepath.Join(ws.Dir, "a.txt"))
	require.NoError(t, err)
	require.Equal(t, "theirs\n", string(b))
	diff, err := os.ReadFile(ws.EarlierDiff)
	require.NoError(t, err)
	require.Contains(t, string(diff), "-one\n+mine\n")
	require.NoFileExists(t, ws.Progress, "records of the earlier attempt are not carried")
}

func TestCarryTakesTheWorkspaceAsItIs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	base := f.tip()
	ws := f.fresh("TASK-01")
	f.writeIn(ws.Dir, "new.txt", "half done\n")
	f.write("a.txt", "theirs\n")
	tip := f.commit("theirs")

	f.lease(stages.Lease{Task: "TASK-01", Base: tip, Mode: stages.Carry, FromBase: base})

	require.Equal(t, []stages.Change{{Path: "new.txt", Action: "CREATE"}}, f.snapshot("TASK-01").Changes)
}

func TestLandingTwiceMakesNoSecondCommit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"new.txt": "new\n"})
	f.land(l)
	f.write("a.txt", "later\n")
	tip := f.commit("later")

	res := f.land(l)

	require.Equal(t, "landed", res.Outcome)
	require.Equal(t, l.Candidate, res.Commit)
	require.Equal(t, tip, f.head())
}

func TestBranchThatIsNotCheckedOutMovesWithoutTouchingFiles(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.git("branch", "work")
	f.open(func(c *Config) { c.Branch = "work" })
	l := f.build("TASK-01", map[string]string{"a.txt": "two\n"})
	f.write("a.txt", "the user's\n")

	require.Equal(t, "landed", f.land(l).Outcome)

	require.Equal(t, string(l.Candidate), f.git("rev-parse", "work"))
	require.Equal(t, "the user's\n", f.read("a.txt"))
}

func TestUserFileEqualToTheLandedOneIsNoObstacle(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"new.txt": "new\n", "a.txt": "two\n"})
	f.write("new.txt", "new\n")
	f.write("a.txt", "two\n")

	require.Equal(t, "landed", f.land(l).Outcome)
	require.Empty(t, f.git("status", "--porcelain"))
}

func TestDeletionsAndModesLand(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	base := f.tip()
	ws := f.fresh("TASK-01")
	require.NoError(t, os.Remove(filepath.Join(ws.Dir, "dir/b.txt")))
	require.NoError(t, os.Chmod(filepath.Join(ws.Dir, "a.txt"), 0o755))
	h, _ := f.candidate("TASK-01", base)

	require.Equal(t, "landed", f.land(stages.Landing{Task: "TASK-01", Candidate: h, Base: base}).Outcome)

	require.NoDirExists(t, filepath.Join(f.dir, "dir"))
	info, err := os.Stat(filepath.Join(f.dir, "a.txt"))
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&0o100)
	require.Empty(t, f.git("status", "--porcelain"))
}

func TestHookThatRefusesTheBranchIsHeard(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"new.txt": "x\n"})
	// It refuses once.
	f.write(".git/hooks/reference-transaction", "#!/bin/sh\n[ \"$1\" = prepared ] && [ ! -e .git/once ] && grep -q refs/heads/main && touch .git/once && exit 1\nexit 0\n")
	require.NoError(t, os.Chmod(filepath.Join(f.dir, ".git/hooks/reference-transaction"), 0o755))

	_, err := f.repo.Land(ctx(), l)
	require.ErrorContains(t, err, "aborted by hook")
	require.Equal(t, l.Base, f.head(), "a hook that says no is heard")
	require.NoFileExists(t, f.repo.landingMark())

	require.Equal(t, "landed", f.land(l).Outcome)
}

func TestFileThatWasOnlyTouchedIsNoObstacle(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"a.txt": "two\n"})
	later := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(f.dir, "a.txt"), later, later))

	res := f.land(l)

	require.Equal(t, "landed", res.Outcome)
	require.Equal(t, "two\n", f.read("a.txt"))
}

func TestBranchThatWasMovedBackIsAnErrorAndLeftAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	require.Equal(t, "landed", f.land(f.build("TASK-01", map[string]string{"one.txt": "1\n"})).Outcome)
	next := f.build("TASK-02", map[string]string{"two.txt": "2\n"})
	f.git("reset", "-q", "--hard", "HEAD~1")
	before := f.head()

	_, err := f.repo.Land(ctx(), next)

	require.ErrorContains(t, err, "somebody moved the branch back")
	require.Equal(t, before, f.head())
}

func TestNextRunPutsWhatWasBuiltOnAnotherHistoryOnTheBranch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("dir/b.txt", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n")
	f.commit("Theirs, to be taken back")
	l := f.build("TASK-01", map[string]string{"dir/b.txt": "one\n2\n3\n4\n5\n6\n7\n8\nnine\n"})
	f.git("reset", "-q", "--hard", "HEAD~1")
	f.write("dir/b.txt", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n")
	f.commit("Theirs instead")
	f.open()

	res := f.land(l)

	require.Equal(t, "moved", res.Outcome)
	require.Equal(t, f.head(), res.Onto)
	require.Equal(t, "one\n2\n3\n4\nfive\n6\n7\n8\n9", f.git("cat-file", "blob", string(res.Tree)+":dir/b.txt"), "only what the TASK itself has changed")
}

func TestFileThatTheUserDeletedIsNotBroughtBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"a.txt": "two\n"})
	require.NoError(t, os.Remove(filepath.Join(f.dir, "a.txt")))

	res := f.land(l)

	require.Equal(t, stages.LandingResult{Outcome: "blocked", Paths: []string{"a.txt"}}, res)
	require.NoFileExists(t, filepath.Join(f.dir, "a.txt"))
	require.Equal(t, l.Base, f.head())
}

func TestCandidateIsPutOnOneThatHasNotLandedWithoutMovingTheBranch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.build("TASK-01", map[string]string{"one.txt": "1\n"})
	second := f.build("TASK-02", map[string]string{"two.txt": "2\n"})
	before := f.head()
	second.Onto, second.Below = first.Candidate, "TASK-01"

	res := f.land(second)

	require.Equal(t, "moved", res.Outcome)
	require.Equal(t, first.Candidate, res.Onto)
	require.Equal(t, []stages.Change{{Path: "two.txt", Action: "CREATE"}}, res.Changes)
	require.Equal(t, "one.txt\ntwo.txt", f.git("diff-tree", "-r", "--name-only", string(before)+"^{tree}", string(res.Tree), "--", "*.txt"))
	require.Equal(t, before, f.head())
}

func TestCandidateThatCollidesWithOneThatHasNotLandedIsUnfit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.build("TASK-01", map[string]string{"a.txt": "first\n"})
	second := f.build("TASK-02", map[string]string{"a.txt": "second\n"})
	second.Onto, second.Below = first.Candidate, "TASK-01"

	res := f.land(second)

	require.Equal(t, stages.LandingResult{Outcome: "unfit", Onto: first.Candidate, With: "TASK-01", Paths: []string{"a.txt"}}, res)
}

func TestCandidateOfOneThatFailedIsNotCarriedAlong(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.build("TASK-01", map[string]string{"a.txt": "first\n", "one.txt": "1\n"})
	second := f.build("TASK-02", map[string]string{"two.txt": "2\n"})
	second.Onto, second.Below = first.Candidate, "TASK-01"
	onFirst := f.land(second)
	second.Change, second.ChangeBase = second.Candidate, second.Base
	second.Candidate, second.Base, second.Onto, second.Unverified = "", onFirst.Onto, "", true

	res := f.land(second)

	require.Equal(t, "moved", res.Outcome)
	require.Equal(t, f.head(), res.Onto)
	require.Equal(t, []stages.Change{{Path: "two.txt", Action: "CREATE"}}, res.Changes, "nothing of TASK-01")
}

func TestUnverifiedCandidateDoesNotLandEvenOnTheTip(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"new.txt": "new\n"})
	before := f.head()
	l.Unverified = true

	res := f.land(l)

	require.Equal(t, "moved", res.Outcome)
	require.Equal(t, before, res.Onto)
	require.Equal(t, before, f.head())
}

func TestPutAnewOnWhatHasLandedKeepsWhatThatChangedInTheSameFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	lines := func(one, nine string) string { return one + "\n2\n3\n4\n5\n6\n7\n8\n" + nine + "\n" }
	f.write("m.txt", lines("1", "9"))
	f.commit("lines")
	first := f.build("TASK-01", map[string]string{"m.txt": lines("one", "9")})
	second := f.build("TASK-02", map[string]string{"m.txt": lines("1", "nine")})
	require.Equal(t, "landed", f.land(first).Outcome)
	second.Change, second.ChangeBase = second.Candidate, second.Base
	second.Candidate, second.Base, second.Unverified = "", first.Candidate, true

	res := f.land(second)

	require.Equal(t, "moved", res.Outcome)
	require.Equal(t, []string{"m.txt"}, res.Paths)
	require.Equal(t, lines("one", "nine"), f.git("show", string(res.Tree)+":m.txt")+"\n")
}
