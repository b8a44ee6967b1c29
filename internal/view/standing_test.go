package view

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/tasks"
)

func number(n int) tasks.ID { return tasks.ID(fmt.Sprintf("%02d", n)) }

func status(t *testing.T, s *script) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, s.record().Status(s.now.Add(5*time.Minute)).Text(&b, Style{}))
	return b.String()
}

// approving is a run that waits for a person.
func approving(t *testing.T) *script {
	specs := login()
	specs[1].Approve = true
	s := play(t, specs, scheduler.Options{})
	s.land("TASK-01")
	s.land("TASK-05")
	s.pass("TASK-02", 4*time.Second)
	s.pass("TASK-02", 4*time.Second)
	s.add(scheduler.Event{Type: scheduler.WaitStarted, Task: "TASK-02", For: scheduler.ForApproval})
	return s
}

func TestASessionThatWaitsForAPersonSaysWhatToLookAt(t *testing.T) {
	t.Parallel()
	s := approving(t)
	s.finish()
	golden(t, "status_approval.golden", status(t, s))
	require.Equal(t, SessionWaiting, s.record().State())
}

func TestARejectionIsPartOfTheHistory(t *testing.T) {
	t.Parallel()
	s := approving(t)
	s.wait(time.Minute)
	s.add(scheduler.Event{Type: scheduler.Command, Verb: scheduler.Reject, Task: "TASK-02", Reason: "the cookie lacks SameSite"})
	s.start("TASK-02")
	s.wait(time.Minute)
	r := s.record()
	r.Live = true
	var b strings.Builder
	require.NoError(t, r.Inspect("TASK-02", Found{}, s.now).Text(&b, Style{}))
	golden(t, "inspect_rejected.golden", b.String())
}

func TestAnInterruptedSessionCanBeResumed(t *testing.T) {
	t.Parallel()
	s := play(t, login(), scheduler.Options{})
	s.land("TASK-01")
	s.pass("TASK-02", 4*time.Second)
	s.start("TASK-02")
	golden(t, "status_interrupted.golden", status(t, s))
	require.Equal(t, SessionInterrupted, s.record().State())
}

func TestALandingInTheWayOfUncommittedChangesNamesThem(t *testing.T) {
	t.Parallel()
	s := play(t, login(), scheduler.Options{})
	s.candidate("TASK-01")
	s.add(scheduler.Event{Type: scheduler.LandingFinished, Task: "TASK-01", Outcome: scheduler.Blocked, Paths: []string{"auth/users.go"}})
	s.add(scheduler.Event{Type: scheduler.WaitStarted, Task: "TASK-01", For: scheduler.ForBlocked})
	s.finish()
	golden(t, "status_blocked.golden", status(t, s))
}

func TestARateLimitIsAWaitAndNoFailure(t *testing.T) {
	t.Parallel()
	s := play(t, login(), scheduler.Options{})
	s.start("TASK-01")
	s.wait(2 * time.Second)
	until := s.now.Add(10 * time.Minute)
	e := s.step("TASK-01")
	e.Type, e.For, e.Until, e.Reason = scheduler.WaitStarted, scheduler.ForRateLimit, &until, "429: slow down"
	s.add(e)
	require.Equal(t, "for a rate limit, until 2026-03-12 10:10:02 UTC", s.record().Why("TASK-01"))
	require.Contains(t, lines(t, s, ByEvent), "TASK-01 waiting for a rate limit until 2026-03-12 10:10:02 UTC: 429: slow down\n")
	s.wait(10 * time.Minute)
	s.add(scheduler.Event{Type: scheduler.WaitEnded, Task: "TASK-01", For: scheduler.ForRateLimit})
	s.pass("TASK-01", time.Second)
	h := s.record().History("TASK-01")
	require.Len(t, h.Steps, 2)
	require.Equal(t, PutOff, h.Steps[0].Ending)
	require.Equal(t, Passed, h.Steps[1].Ending)
	require.Equal(t, 3*time.Second, h.elapsed(false, s.now), "waiting is not work")
}

func TestAStepThatWasCutOffIsInterrupted(t *testing.T) {
	t.Parallel()
	s := play(t, login(), scheduler.Options{})
	s.start("TASK-01")
	s.wait(time.Hour)
	s.add(scheduler.Event{Type: scheduler.RunJoined, Session: "01JPABCDEFGHJKMNPQRSTVWXYZ"})
	s.pass("TASK-01", time.Second)
	h := s.record().History("TASK-01")
	require.Equal(t, CutOff, h.Steps[0].Ending)
	require.Equal(t, Passed, h.Steps[1].Ending)
	require.Equal(t, time.Second, h.elapsed(false, s.now))
}

func TestStepsForAnEarlierTextAreCountedApart(t *testing.T) {
	t.Parallel()
	s := play(t, login(), scheduler.Options{})
	s.fail("TASK-01", time.Second, "red")
	spec := login()[0]
	spec.Hash = "sha256:2"
	s.add(scheduler.Event{Type: scheduler.TaskRespecified, Task: "TASK-01", Spec: &spec, Reason: "changed", Found: true})
	h := s.record().History("TASK-01")
	require.Empty(t, h.Steps)
	require.Equal(t, 1, h.Earlier)
}

func TestADoneSessionSaysWhereTheCommitsAre(t *testing.T) {
	t.Parallel()
	s := play(t, login()[:1], scheduler.Options{})
	s.land("TASK-01")
	s.finish()
	r := s.record()
	require.Equal(t, SessionDone, r.State())
	require.Equal(t, "git log --oneline -1", r.Next()[0].Command)
	require.Empty(t, lines(t, s, Quiet))
}

func TestARetriedTaskIsNoLongerFailed(t *testing.T) {
	t.Parallel()
	s := halted(t)
	s.add(scheduler.Event{Type: scheduler.Command, Verb: scheduler.RetryIt, Task: "TASK-03"})
	r := s.record()
	require.Equal(t, SessionInterrupted, r.State())
	require.Equal(t, Interrupted, r.Standing("TASK-03"))
	require.Equal(t, "builder#4 is next", r.Why("TASK-03"))
	require.Equal(t, "pipeline resume 01JPABCDEFGHJKMNPQRSTVWXYZ", r.Next()[0].Command)
}

func TestExplainShowsEveryRootCauseAndShortensLongWays(t *testing.T) {
	t.Parallel()
	var specs []scheduler.TaskSpec
	for i := 1; i <= 9; i++ {
		spec := scheduler.TaskSpec{ID: "TASK-" + number(i), Title: fmt.Sprintf("Step %d", i), State: scheduler.AsNew}
		if i > 1 {
			spec.Deps = []tasks.ID{"TASK-" + number(i-1)}
		}
		specs = append(specs, spec)
	}
	specs = append(specs, scheduler.TaskSpec{ID: "TASK-10", Title: "Aside", State: scheduler.AsNew})
	specs[8].Deps = append(specs[8].Deps, "TASK-10")
	s := play(t, specs, scheduler.Options{KeepGoing: true})
	s.start("TASK-10")
	for range 3 {
		s.fail("TASK-01", time.Second, "no files changed")
	}
	var b strings.Builder
	require.NoError(t, s.record().Explain("TASK-09").Text(&b, Style{}))
	golden(t, "explain_two_causes.golden", b.String())
}

func TestAConflictIsAFailureOfTheLanding(t *testing.T) {
	t.Parallel()
	s := play(t, login(), scheduler.Options{})
	s.candidate("TASK-01")
	s.add(scheduler.Event{Type: scheduler.LandingFinished, Task: "TASK-01", Outcome: scheduler.Conflict, Onto: "abc", With: "TASK-05", Paths: []string{"go.mod"}})
	f := s.record().History("TASK-01").LastFailure()
	require.Equal(t, dispatch.Stage("landing"), f.Stage)
	require.Equal(t, 1, f.Attempt)
	require.Equal(t, "conflict with TASK-05: go.mod", f.Reason)
}

func TestFailOnACandidateThatDidNotLandIsVoid(t *testing.T) {
	t.Parallel()
	s := play(t, login(), scheduler.Options{})
	s.land("TASK-01")
	s.candidate("TASK-02")
	s.candidate("TASK-05")
	s.add(scheduler.Event{Type: scheduler.LandingFinished, Task: "TASK-02", Outcome: scheduler.Moved, Onto: "5d6e7f8a9b0c", Tree: "7ee1"})
	s.candidate("TASK-02")
	below := s.plan.State("TASK-02").Candidate
	s.add(scheduler.Event{Type: scheduler.LandingFinished, Task: "TASK-05", Outcome: scheduler.Moved, Onto: below, With: "TASK-02", Tree: "7ee2"})
	s.candidate("TASK-05")
	s.fail("TASK-05", time.Second, "red")
	s.fail("TASK-02", time.Second, "red")
	s.add(scheduler.Event{Type: scheduler.LandingFinished, Task: "TASK-05", Outcome: scheduler.Moved, Onto: "5d6e7f8a9b0c", Tree: "7ee3"})
	r := s.record()

	last := s.events[len(s.events)-1]
	require.Equal(t, "TASK-05 moved onto 5d6e7f8, for what it failed on did not land: it is verified again", r.line(&last).text)
	steps := r.History("TASK-05").Steps
	require.Equal(t, Void, steps[len(steps)-2].Ending)
	require.False(t, steps[len(steps)-2].Failed())
	own := r.History("TASK-02").Steps
	require.True(t, own[len(own)-1].Failed())
}
