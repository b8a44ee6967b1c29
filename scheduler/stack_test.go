package scheduler

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// candidates takes TASKs through their three stages, one after the other.
func (b *table) candidates(ids ...tasks.ID) {
	b.t.Helper()
	for _, id := range ids {
		b.candidate(id)
	}
}

// moved puts a TASK on the branch's new tip, and lets it become a candidate there.
func (b *table) moved(id tasks.ID, onto stages.Hash) {
	b.t.Helper()
	b.say(Event{Type: LandingFinished, Task: id, Outcome: Moved, Onto: onto, Tree: "merged"})
	b.pass(id)
}

// put puts a TASK on the candidate below it, as the plan asks for, and lets it
// become a candidate there.
func (b *table) put(id, below tasks.ID) {
	b.t.Helper()
	l := b.action(id).Landing
	require.Equal(b.t, below, l.Below)
	require.Equal(b.t, b.p.State(below).Candidate, l.Onto)
	b.say(Event{Type: LandingFinished, Task: id, Outcome: Moved, Onto: l.Onto, With: string(below), Tree: "merged"})
	b.pass(id)
}

// landIt lands a TASK's candidate.
func (b *table) landIt(id tasks.ID) {
	b.t.Helper()
	l := b.action(id).Landing
	require.False(b.t, l.Unverified)
	b.say(Event{Type: LandingFinished, Task: id, Outcome: Landed, Commit: l.Candidate})
}

// three is a stack of three: the branch has moved under the first.
func three(t *testing.T, opts Options) *table {
	b := newTable(t, opts, task("TASK-01"), task("TASK-02"), task("TASK-03"))
	b.candidates("TASK-01", "TASK-02", "TASK-03")
	b.moved("TASK-01", "tip")
	b.put("TASK-02", "TASK-01")
	b.put("TASK-03", "TASK-02")
	return b
}

func TestCandidatesOnOneAnotherAreVerifiedAtOnceAndLandAsTheyAre(t *testing.T) {
	t.Parallel()
	b := three(t, Options{})
	require.Equal(t, []string{"TASK-01/verifier#1.2", "TASK-02/verifier#1.2", "TASK-03/verifier#1.2"}, b.offered(3))
	b.pass("TASK-03")
	b.pass("TASK-02")
	require.Equal(t, []string{"TASK-01/verifier#1.2"}, b.offered(3), "nobody lands before the first")
	b.pass("TASK-01")
	for _, id := range []tasks.ID{"TASK-01", "TASK-02", "TASK-03"} {
		require.Equal(t, []string{"land " + string(id)}, b.offered(3))
		b.landIt(id)
	}
	require.Equal(t, []string{"done"}, b.offered(3))
}

func TestRedOnCandidatesThatLandIsAFailOfItsOwn(t *testing.T) {
	t.Parallel()
	b := three(t, Options{})
	b.fail("TASK-02")
	require.Zero(t, b.p.State("TASK-02").Failures, "it may be the fault of TASK-01")
	b.pass("TASK-01")
	b.landIt("TASK-01")
	s := b.p.State("TASK-02")
	require.Equal(t, 1, s.Failures)
	require.Equal(t, "red", s.Reason)
	require.Equal(t, stages.Lease{Task: "TASK-02", Base: "commit of TASK-01/committer#1.2", Mode: stages.Exact, Tree: "merged"}, b.action("TASK-02").Lease)
}

func TestRedOnACandidateThatFailsDoesNotCount(t *testing.T) {
	t.Parallel()
	b := three(t, Options{})
	b.fail("TASK-02")
	b.pass("TASK-03")
	b.fail("TASK-01")
	require.Equal(t, 1, b.p.State("TASK-01").Failures)
	require.Contains(t, b.offered(3), "land TASK-02")
	require.True(t, b.action("TASK-02").Landing.Unverified)
	b.moved("TASK-02", "tip")
	require.Contains(t, b.offered(3), "put TASK-03 on TASK-02")
	b.pass("TASK-02")
	require.Zero(t, b.p.State("TASK-02").Failures)
	b.landIt("TASK-02")
}

func TestThoseBehindARedOneArePutOnTheGreenOneBeforeIt(t *testing.T) {
	t.Parallel()
	b := three(t, Options{})
	b.fail("TASK-03")
	b.pass("TASK-01")
	b.landIt("TASK-01")
	b.fail("TASK-02")
	require.Equal(t, 1, b.p.State("TASK-02").Failures)
	require.Zero(t, b.p.State("TASK-03").Failures)
	l := b.action("TASK-03").Landing
	require.True(t, l.Unverified)
	require.Empty(t, l.Onto, "TASK-01 is on the branch")
	require.Equal(t, stages.Hash("commit of TASK-03/committer#1"), l.Change, "what the TASK itself changes is put there")
}

func TestRedBehindTheFirstIsPutAnewBeforeItsTurn(t *testing.T) {
	t.Parallel()
	b := three(t, Options{})
	b.fail("TASK-03")
	wait := b.start("TASK-02")
	until := b.now.Add(time.Hour)
	b.say(Event{Type: WaitStarted, Task: "TASK-02", Stage: wait.Stage, Attempt: 1, Round: wait.Round, For: ForRateLimit, Until: &until})
	require.Contains(t, b.offered(3), "put TASK-03 on TASK-01", "TASK-02 waits, and nobody for it")
	b.put("TASK-03", "TASK-01")
	require.Contains(t, b.offered(3), "TASK-03/verifier#1.3")
}

func TestCandidateThatCollidesWithOneThatHasNotLandedWaitsForIt(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"), task("TASK-02"), task("TASK-03"))
	b.candidates("TASK-01", "TASK-02", "TASK-03")
	b.moved("TASK-01", "tip")
	l := b.action("TASK-02").Landing
	b.say(Event{Type: LandingFinished, Task: "TASK-02", Outcome: Unfit, Onto: l.Onto, With: "TASK-01", Paths: []string{"a"}})
	require.Equal(t, []string{"TASK-01/verifier#1.2"}, b.offered(3))
	require.Zero(t, b.p.State("TASK-02").Conflicts)
	b.pass("TASK-01")
	b.landIt("TASK-01")
	require.Equal(t, []string{"land TASK-02"}, b.offered(3))
	b.say(Event{Type: LandingFinished, Task: "TASK-02", Outcome: Conflict, Onto: "commit of TASK-01/committer#1.2", With: "TASK-01", Paths: []string{"a"}})
	require.Equal(t, 1, b.p.State("TASK-02").Conflicts)
	require.Equal(t, []string{"land TASK-03", "TASK-02/builder#2"}, b.offered(3))
}

func TestWhatWasPutOnACandidateThatHasGoneIsPutAnew(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"), task("TASK-02"))
	b.candidates("TASK-01", "TASK-02")
	b.moved("TASK-01", "tip")
	l := b.action("TASK-02").Landing
	b.fail("TASK-01")
	b.say(Event{Type: LandingFinished, Task: "TASK-02", Outcome: Moved, Onto: l.Onto, With: "TASK-01", Tree: "merged"})
	require.Equal(t, []string{"land TASK-02", "TASK-01/builder#2"}, b.offered(2))
	require.True(t, b.action("TASK-02").Landing.Unverified)
}

func TestNothingIsPutOnACandidateThatStandsElsewhere(t *testing.T) {
	t.Parallel()
	b := three(t, Options{})
	b.say(Event{Type: RunJoined})
	b.start("TASK-02")
	b.start("TASK-03")
	b.fail("TASK-01")
	b.finish(Step{Task: "TASK-03", Stage: dispatch.Verifier, Attempt: 1, Round: 2}, dispatch.Pass)
	require.NotContains(t, b.offered(3), "put TASK-03 on TASK-02", "TASK-02 stands on TASK-01, which has gone")
	require.NotContains(t, b.offered(3), "land TASK-02", "its verifier is at work")
}

func TestNextRunKeepsTheOrderOfTheStack(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"), task("TASK-02"), task("TASK-03"))
	b.candidates("TASK-03", "TASK-02", "TASK-01")
	b.moved("TASK-03", "tip")
	b.put("TASK-02", "TASK-03")
	b.put("TASK-01", "TASK-02")
	b.pass("TASK-01")
	b.say(Event{Type: RunJoined})
	require.Equal(t, []string{"TASK-03/verifier#1.2"}, b.offered(1), "those behind it wait for it, not it for their slots")
	require.Equal(t, []string{"TASK-03/verifier#1.2", "TASK-02/verifier#1.2"}, b.offered(3))
	b.pass("TASK-02")
	b.pass("TASK-03")
	for _, id := range []tasks.ID{"TASK-03", "TASK-02", "TASK-01"} {
		require.Equal(t, []string{"land " + string(id)}, b.offered(1), "what was verified is not verified again")
		b.landIt(id)
	}
}

func TestNobodyInTheStackWaitsForASlotThatOneBehindItHolds(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"), task("TASK-02"))
	b.candidate("TASK-01")
	b.say(Event{Type: RunJoined})
	b.candidate("TASK-02") // the one slot is its own
	require.Equal(t, []string{"land TASK-01"}, b.offered(1))
	b.say(Event{Type: LandingFinished, Task: "TASK-01", Outcome: Moved, Onto: "tip", Tree: "merged"})
	require.Equal(t, []string{"land TASK-02"}, b.offered(1))
	b.landIt("TASK-02")
	require.Equal(t, []string{"TASK-01/committer#1.2"}, b.offered(1))
}

func TestReverifyOverlapVerifiesAgainOnlyWhatGitMerged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reverify Reverify
		merged   []string
		next     string
	}{
		{Overlap, nil, "land TASK-01"},
		{Overlap, []string{"go.mod"}, "TASK-01/verifier#1.2"},
		{Never, []string{"go.mod"}, "land TASK-01"},
		{Always, nil, "TASK-01/verifier#1.2"},
		{"", nil, "TASK-01/verifier#1.2"},
	} {
		b := newTable(t, Options{Reverify: c.reverify}, task("TASK-01"))
		b.candidate("TASK-01")
		b.say(Event{Type: LandingFinished, Task: "TASK-01", Outcome: Moved, Onto: "tip", Tree: "merged", Paths: c.merged})
		b.pass("TASK-01")
		require.Equal(t, []string{c.next}, b.offered(1), "%v", c)
	}
}

func TestNothingIsPutOnARedCandidate(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"), task("TASK-02"), task("TASK-03"))
	b.candidates("TASK-01", "TASK-02", "TASK-03")
	b.moved("TASK-01", "tip")
	b.put("TASK-02", "TASK-01")
	b.fail("TASK-02")
	require.Equal(t, []string{"TASK-01/verifier#1.2"}, b.offered(3))
}

func TestBranchThatMovesUnderTheStackVoidsWhatWasRedOnIt(t *testing.T) {
	t.Parallel()
	b := three(t, Options{})
	b.fail("TASK-02")
	b.pass("TASK-01")
	b.moved("TASK-01", "somebody's commit")
	require.Contains(t, b.offered(3), "put TASK-02 on TASK-01")
	require.Zero(t, b.p.State("TASK-02").Failures)
}
