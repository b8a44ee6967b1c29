package mirror

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
)

func TestATaskStandsWhereItsRecordSaysItDoes(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	p.example("s1")
	p.update()
	require.Equal(t, []string{
		`"TASK-01" "done" null "committer" 2 "c1" null`,
		`"TASK-02" "FAILED" "exit status 1" "builder" 1 null "[\"TASK-01\"]"`,
	}, p.ask("SELECT task, state, reason, stage, attempt, commit_hash, needs FROM tasks"))
	require.Equal(t, []string{`"finished" "failed" 1 1 1 35`}, p.ask("SELECT state, verdict, runs, done, failed, events FROM sessions"))
}

// TestStepsEndAsInspectShowsThem has a FAIL on a candidate that did not land, a
// wait for a provider, one for a person, and a step that was cut off.
func TestStepsEndAsInspectShowsThem(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	s := p.session("s1")
	about := func(kind scheduler.Type) scheduler.Event { return scheduler.Event{Type: kind, Task: "TASK-01"} }
	landing := func(o scheduler.Outcome, with string, paths ...string) scheduler.Event {
		e := about(scheduler.LandingFinished)
		e.Outcome, e.With, e.Paths = o, with, paths
		return e
	}
	waits := func(f scheduler.WaitFor, reason string) scheduler.Event {
		e := about(scheduler.WaitStarted)
		e.For, e.Reason, e.Usage = f, reason, &stages.Usage{Sends: 1, InputTokens: 5, USD: 0.5}
		return e
	}
	command := func(v scheduler.Verb, reason string) scheduler.Event {
		e := about(scheduler.Command)
		e.Verb, e.Reason = v, reason
		return e
	}
	p.record(s, begun("TASK-01"),
		starts("TASK-01", dispatch.Builder, 1), waits(scheduler.ForRateLimit, "429"),
		starts("TASK-01", dispatch.Builder, 1), ends("TASK-01", dispatch.Builder, 1, ""),
		starts("TASK-01", dispatch.Verifier, 1), ends("TASK-01", dispatch.Verifier, 1, "red"), landing(scheduler.Conflict, "TASK-02", "a.go"),
		waits(scheduler.ForApproval, ""), command(scheduler.Reject, "not so"),
		starts("TASK-01", dispatch.Builder, 2), scheduler.Event{Type: scheduler.RunJoined},
		starts("TASK-01", dispatch.Builder, 2))
	p.update()
	require.Equal(t, []string{
		`"builder" 1 "waited" "429" 1 5 0.5`,
		`"builder" 1 "PASS" null 0 0 0`,
		`"verifier" 1 "void" "red" 0 0 0`,
		`"landing" 1 "conflict" "conflict with TASK-02: a.go" 0 0 0`,
		`"approval" 1 "rejected" "rejected: not so" 0 0 0`,
		`"builder" 2 "interrupted" null 0 0 0`,
		`"builder" 2 "running" null 0 0 0`,
	}, p.ask("SELECT stage, attempt, status, reason, sends, input_tokens, usd FROM stages"))
	require.Equal(t, []string{`"running" null`}, p.ask("SELECT state, reason FROM tasks"))
}

func TestWhatAnAgentUsedUpBeforeItWasCutOffCounts(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	s := p.session("s1")
	p.record(s, begun("TASK-01"), starts("TASK-01", dispatch.Builder, 1))
	p.conversation(s, "TASK-01", 1)
	p.update()
	p.record(s, scheduler.Event{Type: scheduler.RunJoined})
	p.update()
	require.Equal(t, []string{`"interrupted" 3 6000 60`}, p.ask("SELECT status, sends, input_tokens, output_tokens FROM stages"))
}
