package scheduler

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
)

// drive lets all that is offered pass, and wants the run to end well.
func (b *table) drive(jobs int) {
	b.t.Helper()
	for range 100 {
		switch a := b.p.Next(jobs)[0]; {
		case a.Kind == Execute:
			b.pass(a.Task)
		case a.Kind == Land && a.Landing.Onto != "":
			b.say(Event{Type: LandingFinished, Task: a.Task, Outcome: Moved, Onto: a.Landing.Onto, With: string(a.Landing.Below), Tree: "merged"})
		case a.Kind == Land && (a.Landing.Unverified || a.Landing.Base != b.p.tip):
			b.say(Event{Type: LandingFinished, Task: a.Task, Outcome: Moved, Onto: b.p.tip, Tree: "merged"})
		case a.Kind == Land:
			b.say(Event{Type: LandingFinished, Task: a.Task, Outcome: Landed, Commit: a.Landing.Candidate})
		case a.Kind == Wait:
			b.say(Event{Type: WaitEnded, Task: a.Task, For: a.For})
		case a.Kind == Halt:
			require.Equal(b.t, AllDone, a.Verdict)
			return
		}
	}
	b.t.Fatal("it does not end")
}

// A run with two slots is killed while two verify again; the next has one.
func TestFailedFirstDoesNotKeepTheOnlySlotFromTheNextInTheStack(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"), task("TASK-02"))
	b.candidates("TASK-01", "TASK-02")
	b.moved("TASK-01", "tip")
	b.put("TASK-02", "TASK-01")
	b.say(Event{Type: RunJoined})
	require.Equal(t, []string{"TASK-01/verifier#1.2"}, b.offered(1))
	b.fail("TASK-01")
	b.drive(1)
}

func TestRateLimitedLockHolderAndTheStack(t *testing.T) {
	t.Parallel()
	b := three(t, Options{})
	// a person adds `locks: [db]` to both TASKs, which does not change their hash
	b.p.nodes[b.at("TASK-01")].task.Locks = []string{"db"}
	b.p.nodes[b.at("TASK-02")].task.Locks = []string{"db"}
	b.say(Event{Type: RunJoined})
	s := b.start("TASK-01")
	until := b.now.Add(time.Hour)
	b.say(Event{Type: WaitStarted, Task: "TASK-01", Stage: s.Stage, Attempt: 1, Round: s.Round, For: ForRateLimit, Until: &until})
	b.drive(1)
}

func TestNothingIsPutBehindAFirstThatStandsOnWhatWillNotLand(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"), task("TASK-02"), task("TASK-03"))
	b.candidates("TASK-01", "TASK-02")
	b.moved("TASK-01", "tip")
	b.put("TASK-02", "TASK-01")
	b.start("TASK-02")
	b.fail("TASK-01")
	b.candidate("TASK-03")
	require.NotContains(t, b.offered(3), "put TASK-03 on TASK-02", "TASK-02 stands on TASK-01, which has gone")
}

func TestNoVerifierIsBegunOnATreeThatWillNotLand(t *testing.T) {
	t.Parallel()
	b := three(t, Options{})
	b.say(Event{Type: RunJoined})
	b.fail("TASK-01")
	require.NotContains(t, b.offered(3), "TASK-02/verifier#1.2", "its tree holds TASK-01, which has gone")
}

func TestRedOfAVerifierThatWasAtWorkWhenItsBaseFailedDoesNotCount(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"), task("TASK-02"))
	b.candidates("TASK-01", "TASK-02")
	b.moved("TASK-01", "tip")
	b.put("TASK-02", "TASK-01")
	s := b.start("TASK-02")
	b.fail("TASK-01")
	b.finish(s, dispatch.Fail)
	require.Zero(t, b.p.State("TASK-02").Failures)
	require.True(t, b.action("TASK-02").Landing.Unverified)
}

func TestRedThatWaitsIsNotVerifiedAgainByTheNextRun(t *testing.T) {
	t.Parallel()
	b := three(t, Options{})
	b.fail("TASK-02")
	b.say(Event{Type: RunJoined})
	require.Equal(t, []string{"TASK-01/verifier#1.2", "TASK-03/verifier#1.2"}, b.offered(3))
}

func TestUnheldThatWasMovedHasNoPlaceUntilItHasASlot(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"), task("TASK-02"))
	b.candidate("TASK-01")
	b.say(Event{Type: RunJoined})
	b.pass("TASK-02") // holds the one slot
	b.say(Event{Type: LandingFinished, Task: "TASK-01", Outcome: Moved, Onto: "tip", Tree: "merged"})
	b.candidate("TASK-02")
	require.Equal(t, []string{"land TASK-02"}, b.offered(1))
}

func TestRetryCarriesTheWorkspaceAndNotAnOldConflict(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{Attempts: 1}, task("TASK-01"))
	b.candidate("TASK-01")
	b.say(Event{Type: LandingFinished, Task: "TASK-01", Outcome: Conflict, Onto: "tip", With: "x", Paths: []string{"a"}})
	b.fail("TASK-01")
	b.say(Event{Type: Command, Task: "TASK-01", Verb: RetryIt})
	l := b.action("TASK-01").Lease
	require.Equal(t, stages.Carry, l.Mode)
	require.Empty(t, l.From)
}

func TestCommitterOnAnotherBaseDoesNotMoveTheWorkspace(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{Attempts: 1}, task("TASK-01"))
	b.candidate("TASK-01")
	b.say(Event{Type: LandingFinished, Task: "TASK-01", Outcome: Moved, Onto: "tip", Tree: "merged"})
	s := b.p.nodes[0].step()
	b.say(Event{Type: StageStarted, Task: "TASK-01", Stage: s.Stage, Attempt: 1, Round: 2, Base: "tip"})
	b.finish(s, dispatch.Fail)
	b.say(Event{Type: Command, Task: "TASK-01", Verb: RetryIt, From: FromVerifier})
	require.Equal(t, stages.Carry, b.action("TASK-01").Lease.Mode, "the workspace stands on the old base")
}

func TestNothingLandsPastAFirstThatIsBeingMadeAnew(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"), task("TASK-02"))
	b.candidates("TASK-01", "TASK-02")
	b.moved("TASK-01", "tip")
	l := b.action("TASK-02").Landing
	b.say(Event{Type: LandingFinished, Task: "TASK-02", Outcome: Unfit, Onto: l.Onto, With: "TASK-01", Paths: []string{"a"}})
	b.pass("TASK-01")
	b.say(Event{Type: LandingFinished, Task: "TASK-01", Outcome: Moved, Onto: "tip2", Tree: "merged"})
	require.Equal(t, []string{"TASK-01/committer#1.3"}, b.offered(2))
}

func TestRedThatComesAfterItsBaseWentIsPutAnewBeforeItsTurn(t *testing.T) {
	t.Parallel()
	b := three(t, Options{})
	s3 := b.start("TASK-03")
	s := b.start("TASK-02")
	until := b.now.Add(time.Hour)
	b.say(Event{Type: WaitStarted, Task: "TASK-02", Stage: s.Stage, Attempt: 1, Round: s.Round, For: ForRateLimit, Until: &until})
	b.finish(s3, dispatch.Fail)
	require.Contains(t, b.offered(3), "put TASK-03 on TASK-01")
}

func TestFirstOfTheStackTakesTheSlotBeforeOneThatWouldComeBehindIt(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"), task("TASK-02"))
	b.candidate("TASK-02")
	b.pass("TASK-01")
	b.moved("TASK-02", "tip")
	b.say(Event{Type: RunJoined})
	require.Equal(t, []string{"TASK-02/verifier#1.2"}, b.offered(1))
}

func TestChangedTaskThatWasAboutToWaitDoesNotWait(t *testing.T) {
	t.Parallel()
	x := task("TASK-01")
	x.Approve = true
	b := newTable(t, Options{}, x)
	b.pass("TASK-01")
	b.pass("TASK-01") // killed before the wait is recorded
	b.say(Event{Type: RunJoined})
	s := specOf(b.p.nodes[0].task)
	s.State = AsNew
	b.say(Event{Type: TaskRespecified, Task: "TASK-01", Spec: &s, Reason: "changed"})
	require.Equal(t, []string{"TASK-01/builder#1"}, b.offered(1))
}
