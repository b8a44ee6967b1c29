package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// passedOf folds a TASK that was put on another base and landed, and tells what
// the audit takes for verified.
func passedOf(o scheduler.Options, merged []string, more ...scheduler.Event) stages.Hash {
	a := audit{files: map[string]link{}, seen: map[tasks.ID]verified{}}
	step := func(s dispatch.Stage, round int, c stages.Hash) scheduler.Event {
		return scheduler.Event{Type: scheduler.StageFinished, Task: "TASK-01", Stage: s, Attempt: 1, Round: round, Status: dispatch.Pass, Commit: c, Snapshot: &stages.Snapshot{Tree: "tree"}}
	}
	events := []scheduler.Event{
		{Type: scheduler.RunStarted, Config: &o, Tasks: []scheduler.TaskSpec{{ID: "TASK-01", Hash: "h"}}},
		step(dispatch.Builder, 0, ""), step(dispatch.Verifier, 0, ""), step(dispatch.Committer, 0, "c1"),
		{Type: scheduler.LandingFinished, Task: "TASK-01", Outcome: scheduler.Moved, Onto: "tip", Paths: merged},
		step(dispatch.Committer, 2, "c2"),
	}
	for _, e := range append(append(events, more...), scheduler.Event{Type: scheduler.TaskLanded, Task: "TASK-01", Commit: "c2"}) {
		a.note(&e)
	}
	return a.landed[0].passed
}

func TestAuditWantsTheVerifierAgainOnAnotherBase(t *testing.T) {
	t.Parallel()
	again := scheduler.Event{Type: scheduler.StageFinished, Task: "TASK-01", Stage: dispatch.Verifier, Attempt: 1, Round: 2, Status: dispatch.Pass}
	red := again
	red.Status = dispatch.Fail
	require.Empty(t, passedOf(scheduler.Options{}, nil), "landed without its second verification")
	require.Empty(t, passedOf(scheduler.Options{}, nil, red))
	require.Equal(t, stages.Hash("c2"), passedOf(scheduler.Options{}, nil, again))
	require.Equal(t, stages.Hash("c2"), passedOf(scheduler.Options{Reverify: scheduler.Never}, []string{"a"}))
	require.Equal(t, stages.Hash("c2"), passedOf(scheduler.Options{Reverify: scheduler.Overlap}, nil))
	require.Empty(t, passedOf(scheduler.Options{Reverify: scheduler.Overlap}, []string{"a"}), "git merged files")
}
