package scheduler

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
)

func TestLostWorkspaceIsMadeAnewForTheNextAttempt(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"))
	lose := func() {
		s := b.start("TASK-01")
		b.say(Event{Type: StageFinished, Task: s.Task, Stage: s.Stage, Attempt: s.Attempt, Status: dispatch.Fail, Reason: "gone", Lost: true, Result: &dispatch.Result{Status: dispatch.Fail}})
	}
	lose()
	require.Equal(t, stages.Lease{Task: "TASK-01", Mode: stages.Fresh}, b.action("TASK-01").Lease)
	b.pass("TASK-01")
	lose()
	require.Equal(t, stages.Lease{Task: "TASK-01", Base: "base", Mode: stages.Exact, Tree: "tree"}, b.action("TASK-01").Lease, "what its builder had left is on record")
}

func TestRetryAfterAVerifiersFailCarriesTheSnapshotAndNotTheVerifiersLitter(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{Attempts: 1}, task("TASK-01"))
	b.pass("TASK-01")
	b.fail("TASK-01")
	b.say(Event{Type: Command, Verb: RetryIt, Task: "TASK-01"})
	require.Equal(t, stages.Lease{Task: "TASK-01", Mode: stages.Carry, From: "tree", FromBase: "base"}, b.action("TASK-01").Lease)
}

func TestBuilderAfterAVerifiersFailStandsOnItsOwnSnapshot(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"))
	b.pass("TASK-01")
	b.fail("TASK-01")
	require.Equal(t, stages.Lease{Task: "TASK-01", Base: "base", Mode: stages.Exact, Tree: "tree"}, b.action("TASK-01").Lease)
	b.fail("TASK-01")
	require.Equal(t, stages.Lease{Task: "TASK-01", Base: "base", Mode: stages.Keep}, b.action("TASK-01").Lease, "after its own FAIL on what it left")
}

// loseAtVerifier makes TASK-01 FAILED by a verifier that lost the workspace.
func loseAtVerifier(t *testing.T) *table {
	b := newTable(t, Options{Attempts: 1}, task("TASK-01"))
	b.pass("TASK-01")
	s := b.start("TASK-01")
	b.say(Event{Type: StageFinished, Task: s.Task, Stage: s.Stage, Attempt: s.Attempt, Round: s.Round, Status: dispatch.Fail, Lost: true,
		Reason: "gone", Result: &dispatch.Result{Status: dispatch.Fail}})
	require.Equal(t, IsFailed, b.p.State("TASK-01").State)
	return b
}

func TestRetryOfALostWorkspaceCarriesTheSnapshotOntoTheTip(t *testing.T) {
	t.Parallel()
	b := loseAtVerifier(t)
	b.say(Event{Type: Command, Verb: RetryIt, Task: "TASK-01"})
	require.Equal(t, stages.Lease{Task: "TASK-01", Mode: stages.Carry, From: "tree", FromBase: "base"}, b.action("TASK-01").Lease,
		"the old tree on the tip would take away what has landed since")
}

func TestCleanRetryOfALostWorkspaceIsClean(t *testing.T) {
	t.Parallel()
	b := loseAtVerifier(t)
	b.say(Event{Type: Command, Verb: RetryIt, Task: "TASK-01", From: FromClean})
	require.Equal(t, stages.Lease{Task: "TASK-01", Mode: stages.Fresh}, b.action("TASK-01").Lease)
}
