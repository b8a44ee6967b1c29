package scheduler

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// table drives a Plan by hand, one event after the other.
type table struct {
	t   *testing.T
	p   *Plan
	seq int64
	now time.Time

	record []Event
}

func newTable(t *testing.T, opts Options, list ...tasks.Task) *table {
	for i := range list {
		list[i].SpecHash = "sha256:1"
	}
	g, problems := tasks.NewGraph(list)
	require.Empty(t, problems)
	b := &table{t: t, p: New(g), now: time.Unix(1e9, 0)}
	b.say(Event{Type: RunStarted, Session: "s", Config: &opts, Tasks: Initially(g, Facts{}, Selection{})})
	return b
}

func (b *table) say(e Event) {
	b.t.Helper()
	b.seq++
	b.now = b.now.Add(time.Second)
	e.V, e.Seq, e.Time = Version, b.seq, b.now
	require.NoError(b.t, b.p.Apply(e))
	b.record = append(b.record, e)
	for c := b.p.Conclusions(); len(c) > 0; c = b.p.Conclusions() {
		b.seq++
		concluded := c[0]
		concluded.Seq = b.seq
		require.NoError(b.t, b.p.Apply(concluded))
		b.record = append(b.record, concluded)
	}
}

// start begins the step that a TASK is to do, and returns it.
func (b *table) start(id tasks.ID) Step {
	b.t.Helper()
	s := b.p.nodes[b.at(id)].step()
	b.say(Event{Type: StageStarted, Task: id, Stage: s.Stage, Attempt: s.Attempt, Round: s.Round, Base: "base"})
	return s
}

// pass lets the TASK's next step pass.
func (b *table) pass(id tasks.ID) Step {
	b.t.Helper()
	s := b.start(id)
	b.finish(s, dispatch.Pass)
	return s
}

func (b *table) fail(id tasks.ID) {
	b.t.Helper()
	b.finish(b.start(id), dispatch.Fail)
}

func (b *table) finish(s Step, status dispatch.Status) {
	b.t.Helper()
	e := Event{Type: StageFinished, Task: s.Task, Stage: s.Stage, Attempt: s.Attempt, Round: s.Round, Status: status,
		Result: &dispatch.Result{Status: status, Handoff: &window.Handoff{What: s.String()}}}
	switch {
	case status == dispatch.Fail:
		e.Reason = "red"
	case s.Stage == dispatch.Builder:
		e.Snapshot = &stages.Snapshot{Tree: "tree", Changes: []stages.Change{{Path: "f", Action: "CREATE"}}}
	case s.Stage == dispatch.Committer:
		e.Commit = stages.Hash("commit of " + s.String())
	}
	b.say(e)
}

// candidate takes a TASK through its three stages.
func (b *table) candidate(id tasks.ID) {
	b.t.Helper()
	for b.p.nodes[b.at(id)].candidate == "" {
		b.pass(id)
	}
}

func (b *table) land(id tasks.ID) {
	b.t.Helper()
	b.say(Event{Type: LandingFinished, Task: id, Outcome: Landed, Commit: b.p.State(id).Candidate})
}

func (b *table) at(id tasks.ID) int {
	i, ok := b.p.graph.Index(id)
	require.True(b.t, ok)
	return i
}

// offered are the steps and landings that may be done now.
func (b *table) offered(jobs int) []string {
	var out []string
	for _, a := range b.p.Next(jobs) {
		switch a.Kind {
		case Execute:
			out = append(out, a.Step.String())
		case Land:
			if a.Landing.Onto != "" {
				out = append(out, "put "+string(a.Task)+" on "+string(a.Landing.Below))
			} else {
				out = append(out, "land "+string(a.Task))
			}
		case RecordWait:
			out = append(out, "wait "+string(a.Task)+" "+string(a.For))
		case Wait:
			out = append(out, "until "+string(a.Task))
		case Halt:
			out = append(out, string(a.Verdict))
		}
	}
	return out
}

func (b *table) action(id tasks.ID) Action {
	b.t.Helper()
	for _, a := range b.p.Next(100) {
		if a.Task == id {
			return a
		}
	}
	b.t.Fatalf("nothing is offered for %s", id)
	return Action{}
}

func task(id tasks.ID, deps ...tasks.ID) tasks.Task { return tasks.Task{ID: id, Deps: deps} }

func locked(id tasks.ID, locks ...string) tasks.Task {
	return tasks.Task{ID: id, Options: tasks.Options{Locks: locks}}
}

func TestThirdConflictMakesTheTaskFailed(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"))
	for n := 1; n <= 3; n++ {
		b.candidate("TASK-01")
		b.say(Event{Type: LandingFinished, Task: "TASK-01", Outcome: Conflict, Onto: "onto", With: "TASK-05", Paths: []string{"a", "b"}})
		s := b.p.State("TASK-01")
		require.Equal(t, n, s.Conflicts)
		require.Zero(t, s.Failures, "a conflict uses up no attempt")
		if n < 3 {
			require.Equal(t, n+1, s.Attempt, "a conflict starts a new attempt")
			require.Equal(t, 3+n, s.Of, "which is counted apart")
		}
	}
	s := b.p.State("TASK-01")
	require.Equal(t, IsFailed, s.State)
	require.Equal(t, "conflict with TASK-05: a, b", s.Reason)
	b.say(Event{Type: Command, Verb: RetryIt, Task: "TASK-01"})
	b.candidate("TASK-01")
	b.say(Event{Type: LandingFinished, Task: "TASK-01", Outcome: Conflict, Onto: "onto", With: "TASK-05", Paths: []string{"a"}})
	require.Equal(t, Running, b.p.State("TASK-01").State, "a retry counts conflicts anew")
}

func TestConflictIsRebuiltOnTheNewBaseWithItsChangesCarriedOver(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"))
	b.candidate("TASK-01")
	b.say(Event{Type: LandingFinished, Task: "TASK-01", Outcome: Conflict, Onto: "onto", With: "TASK-05", Paths: []string{"a"}})
	a := b.action("TASK-01")
	require.Equal(t, stages.Lease{Task: "TASK-01", Base: "onto", Mode: stages.Carry, FromBase: "base", From: "commit of TASK-01/committer#1"}, a.Lease)
	r := b.p.Dispatch(a.Step).Retry
	require.Equal(t, "landing", r.Stage)
	require.Equal(t, &dispatch.Conflict{With: "TASK-05", Files: []string{"a"}}, r.Conflict)
}

func TestMovedIsMadeACandidateOnTheNewBaseAndItsTreeIsVerifiedBeforeItLands(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"))
	b.candidate("TASK-01")
	left := []stages.Change{{Path: "g", Action: "MODIFY"}}
	b.say(Event{Type: LandingFinished, Task: "TASK-01", Outcome: Moved, Onto: "onto", Tree: "merged", Snapshot: &stages.Snapshot{Tree: "merged", Changes: left}})
	a := b.action("TASK-01")
	require.Equal(t, "TASK-01/committer#1.2", a.Step.String())
	in := b.p.CommitInput(a.Step)
	require.Equal(t, stages.Hash("onto"), in.Base)
	require.Equal(t, b.now, in.At, "no commit is older than its parent")
	require.Equal(t, stages.Snapshot{Tree: "merged", Changes: left}, in.Snapshot)
	require.Equal(t, "TASK-01/verifier#1", in.Verifier.Handoff.What, "result.md is that of the work, whatever it stands on")
	b.pass("TASK-01")
	a = b.action("TASK-01")
	require.Equal(t, "TASK-01/verifier#1.2", a.Step.String())
	require.Equal(t, stages.Lease{Task: "TASK-01", Base: "onto", Mode: stages.Exact, Tree: "commit of TASK-01/committer#1.2"}, a.Lease)
	b.pass("TASK-01")
	a = b.action("TASK-01")
	require.Equal(t, stages.Landing{Task: "TASK-01", Candidate: "commit of TASK-01/committer#1.2", Base: "onto",
		Change: "commit of TASK-01/committer#1", ChangeBase: "base"}, a.Landing)
}

func TestNewAttemptVoidsTheApprovalAndACleanMergeKeepsIt(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, tasks.Task{ID: "TASK-01", Options: tasks.Options{Approve: true}})
	b.pass("TASK-01")
	b.pass("TASK-01")
	require.Equal(t, []string{"wait TASK-01 approval"}, b.offered(1))
	b.say(Event{Type: WaitStarted, Task: "TASK-01", For: ForApproval})
	require.Equal(t, []string{"waiting"}, b.offered(1))
	b.say(Event{Type: Command, Verb: Approve, Task: "TASK-01"})
	b.pass("TASK-01")
	b.say(Event{Type: LandingFinished, Task: "TASK-01", Outcome: Moved, Onto: "onto", Tree: "merged"})
	require.Equal(t, []string{"TASK-01/committer#1.2"}, b.offered(1), "the merge keeps the approval")
	b.pass("TASK-01")
	b.fail("TASK-01")
	b.pass("TASK-01")
	b.pass("TASK-01")
	require.Equal(t, []string{"wait TASK-01 approval"}, b.offered(1), "attempt 2 is another diff")
}

func TestWaitForApprovalFreesSlotAndLocks(t *testing.T) {
	t.Parallel()
	waits := locked("TASK-01", "db")
	waits.Approve = true
	b := newTable(t, Options{}, waits, locked("TASK-02", "db"))
	b.pass("TASK-01")
	b.pass("TASK-01")
	require.NotContains(t, b.offered(2), "TASK-02/builder#1")
	b.say(Event{Type: WaitStarted, Task: "TASK-01", For: ForApproval})
	require.Equal(t, []string{"TASK-02/builder#1"}, b.offered(1))
}

func TestRateLimitFreesTheSlotAndKeepsTheLocks(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, locked("TASK-01", "db"), locked("TASK-02", "db"), task("TASK-03"))
	s := b.start("TASK-01")
	until := b.now.Add(time.Hour)
	b.say(Event{Type: WaitStarted, Task: "TASK-01", Stage: s.Stage, Attempt: 1, For: ForRateLimit, Until: &until, State: stages.State(`{"send":2}`)})
	require.Equal(t, []string{"TASK-03/builder#1", "until TASK-01"}, b.offered(1))
	b.say(Event{Type: WaitEnded, Task: "TASK-01", For: ForRateLimit})
	a := b.action("TASK-01")
	require.Equal(t, stages.Lease{Task: "TASK-01", Base: "base", Mode: stages.Keep}, a.Lease, "the same send again, where it left off")
	require.JSONEq(t, `{"send":2}`, string(a.Resume))
}

func TestSpentBudgetEndsTheRunAndTheNextOneGoesOnWithTheSameStep(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"), task("TASK-02"))
	s := b.start("TASK-01")
	b.say(Event{Type: WaitStarted, Task: "TASK-01", Stage: s.Stage, Attempt: 1, For: ForBudget, State: stages.State(`{"send":2}`)})
	require.Equal(t, []string{"TASK-02/builder#1"}, b.offered(1), "the rest goes on to its own next send")
	b.candidate("TASK-02")
	b.land("TASK-02")
	require.Equal(t, []string{string(OverBudget)}, b.offered(1))
	b.say(Event{Type: RunJoined})
	a := b.action("TASK-01")
	require.Equal(t, s, a.Step, "no attempt is used up")
	require.Equal(t, stages.Lease{Task: "TASK-01", Base: "base", Mode: stages.Keep}, a.Lease)
	require.JSONEq(t, `{"send":2}`, string(a.Resume))
}

func TestWaitLongerThanMaxWaitEndsTheRunRateLimited(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{MaxWait: time.Minute}, locked("TASK-01", "db"), locked("TASK-02", "db"))
	wait := func(length time.Duration) {
		s := b.start("TASK-01")
		until := b.now.Add(time.Second + length)
		b.say(Event{Type: WaitStarted, Task: "TASK-01", Stage: s.Stage, Attempt: 1, For: ForRateLimit, Until: &until})
	}
	wait(50 * time.Second)
	require.Equal(t, []string{"until TASK-01"}, b.offered(1))
	b.say(Event{Type: WaitEnded, Task: "TASK-01", For: ForRateLimit})
	wait(50 * time.Second)
	require.Equal(t, []string{"TASK-02/builder#1"}, b.offered(1), "it gave up, and its locks are free")
	b.candidate("TASK-02")
	b.land("TASK-02")
	require.Equal(t, []string{"rate_limited"}, b.offered(1))
	b.say(Event{Type: RunJoined})
	require.Equal(t, []string{"TASK-01/builder#1"}, b.offered(1), "another run asks again")
}

func TestWaitThatIsOverAtOnceIsNoBusyLoop(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{MaxWait: 5 * time.Second}, task("TASK-01"))
	waits := 0
	for b.p.Next(1)[0].Kind != Halt {
		s := b.start("TASK-01")
		past := b.now.Add(-time.Hour)
		b.say(Event{Type: WaitStarted, Task: "TASK-01", Stage: s.Stage, Attempt: 1, For: ForRateLimit, Until: &past})
		if a := b.p.Next(1)[0]; a.Kind == Wait {
			require.False(t, a.Until.Before(b.now.Add(minWait)))
			b.say(Event{Type: WaitEnded, Task: "TASK-01", For: ForRateLimit})
		}
		waits++
	}
	require.Equal(t, 6, waits)
}

func TestBlockedLandingFreesTheSlotAndIsTriedAgainByTheNextRun(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, locked("TASK-01", "db"), locked("TASK-02", "db"))
	b.candidate("TASK-01")
	b.say(Event{Type: LandingFinished, Task: "TASK-01", Outcome: Blocked, Paths: []string{"mine.txt"}})
	require.Equal(t, []string{"wait TASK-01 blocked", "TASK-02/builder#1"}, b.offered(1))
	b.say(Event{Type: WaitStarted, Task: "TASK-01", For: ForBlocked})
	b.candidate("TASK-02")
	b.land("TASK-02")
	require.Equal(t, []string{"blocked"}, b.offered(1))
	require.Zero(t, b.p.State("TASK-01").Failures)
	b.say(Event{Type: RunJoined})
	require.Equal(t, []string{"land TASK-01"}, b.offered(1))
}

func TestLandedButBehindEndsTheRunBlocked(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"))
	b.candidate("TASK-01")
	b.say(Event{Type: LandingFinished, Task: "TASK-01", Outcome: Landed, Commit: "commit of TASK-01/committer#1", Paths: []string{"mine.txt"}})
	require.Equal(t, IsLanded, b.p.State("TASK-01").State)
	require.Equal(t, []string{"blocked"}, b.offered(1))
}

func TestFailedComesBeforeBlockedAmongVerdicts(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{Attempts: 1}, task("TASK-01"), task("TASK-02"))
	b.candidate("TASK-01")
	b.say(Event{Type: LandingFinished, Task: "TASK-01", Outcome: Blocked, Paths: []string{"mine.txt"}})
	b.say(Event{Type: WaitStarted, Task: "TASK-01", For: ForBlocked})
	b.fail("TASK-02")
	require.Equal(t, []string{"failed"}, b.offered(1))
}

func TestBegunTasksGoFirstTheNearestToTheirEndBeforeTheOthers(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"), task("TASK-02"), task("TASK-03"), task("TASK-04"), task("TASK-05"))
	b.start("TASK-02")
	b.pass("TASK-03")
	b.pass("TASK-04")
	b.pass("TASK-04")
	b.candidate("TASK-05")
	b.say(Event{Type: RunJoined})
	require.Equal(t, []string{"land TASK-05", "TASK-04/committer#1", "TASK-03/verifier#1", "TASK-02/builder#1", "TASK-01/builder#1"}, b.offered(10))
	require.Equal(t, []string{"land TASK-05", "TASK-04/committer#1"}, b.offered(1))
}

func TestFreedLockGoesToWhoCanUseIt(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{KeepGoing: true}, locked("TASK-01", "a"), task("TASK-02"), locked("TASK-03", "b"), locked("TASK-04", "a", "b"), locked("TASK-05", "a"))
	b.candidate("TASK-01")
	b.land("TASK-01")
	b.start("TASK-03")
	require.Equal(t, []string{"TASK-02/builder#1", "TASK-05/builder#1"}, b.offered(3), "TASK-04 waits for b; a is free for TASK-05")
}

func TestSkippedInLineForALockLetsTheNextOneCome(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, locked("TASK-01", "a"), locked("TASK-02", "a"), locked("TASK-03", "a"))
	b.candidate("TASK-01")
	b.land("TASK-01")
	b.say(Event{Type: Command, Verb: Skip, Task: "TASK-02", Reason: "no"})
	require.Equal(t, []string{"TASK-03/builder#1"}, b.offered(3))
}

func TestSkippedTaskSatisfiesItsDependentsAndHandsOffNothing(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{Attempts: 1}, task("TASK-01"), task("TASK-02", "TASK-01"))
	b.pass("TASK-01")
	b.fail("TASK-01")
	b.say(Event{Type: Command, Verb: Skip, Task: "TASK-01", Reason: "not needed"})
	a := b.action("TASK-02")
	require.Empty(t, b.p.Dispatch(a.Step).Handoffs)
}

func TestConclusionThatDiffersFromTheFactsIsAnErrorNamingTheLine(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{Attempts: 1}, task("TASK-01"))
	s := b.start("TASK-01")
	e := Event{Seq: 4, Type: StageFinished, Task: s.Task, Stage: s.Stage, Attempt: 1, Status: dispatch.Fail, Reason: "red", Result: &dispatch.Result{Status: dispatch.Fail}}
	require.NoError(t, b.p.Apply(e))
	var wrong *RecordError
	require.ErrorAs(t, b.p.Apply(Event{Seq: 5, Type: TaskFailed, Task: "TASK-01", Reason: "green"}), &wrong)
	require.EqualValues(t, 5, wrong.Seq)
	require.Error(t, b.p.Apply(Event{Seq: 5, Type: TaskLanded, Task: "TASK-01"}))
	require.NoError(t, b.p.Apply(Event{Seq: 5, Type: TaskFailed, Task: "TASK-01", Reason: "red"}))
}

func TestBuilderThatContinuesGoesOnInItsWorkspaceAfterAnInterruption(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"), task("TASK-02"))
	for _, id := range []tasks.ID{"TASK-01", "TASK-02"} {
		b.say(Event{Type: StageStarted, Task: id, Stage: dispatch.Builder, Attempt: 1, Base: "base", Continues: id == "TASK-01"})
	}
	b.say(Event{Type: RunJoined})
	a := b.action("TASK-01")
	require.True(t, a.Interrupted)
	require.Equal(t, stages.Lease{Task: "TASK-01", Base: "base", Mode: stages.Keep}, a.Lease)
	a = b.action("TASK-02")
	require.False(t, a.Interrupted, "a script begins again")
	require.Equal(t, stages.Lease{Task: "TASK-02", Mode: stages.Fresh}, a.Lease)

	b.say(Event{Type: RunJoined})
	require.True(t, b.action("TASK-01").Interrupted, "a run that did not come to it changes nothing")
	b.finish(b.start("TASK-01"), dispatch.Pass)
	require.False(t, b.action("TASK-01").Interrupted, "its verifier was not")
}
