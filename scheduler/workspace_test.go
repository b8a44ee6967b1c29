package scheduler_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

func TestWorkspaceOfATaskThatLandedBeforeTheKillIsClosed(t *testing.T) {
	t.Parallel()
	g := graph(t, map[int][]int{1: nil, 2: {1}})
	l := &ledger{}
	first := (&script{}).runner()
	first.Journal = l
	_, err := first.Run(t.Context(), g)
	require.NoError(t, err)
	for k, e := range l.events {
		if e.Task != id(1) || e.Type != scheduler.TaskLanded && e.Commit == "" {
			continue
		}
		joined := &ledger{memory: memory{events: l.events[: k+1 : k+1]}}
		w := &trees{l: joined}
		r := (&script{}).runner()
		r.Past, r.Journal, r.Workspaces, r.Lander = joined.events, joined, w, w
		r.Facts.Contains = func(stages.Hash) bool { return true }
		w.onOpen = func(lease stages.Lease) {
			if _, closed := w.closed[id(1)]; !closed {
				t.Errorf("cut off after %s: %s is opened before TASK-01 is closed", e.Type, lease.Task)
			}
		}
		_, err := r.Run(t.Context(), g)
		require.NoError(t, err)
		require.Equal(t, map[tasks.ID]bool{id(1): false, id(2): false}, w.closed)
	}
}

func TestWorkspaceThatVanishesUnderAStepCostsThatAttemptAlone(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func() (stages.Response, error){
		"the step fails":       func() (stages.Response, error) { return stages.Failed("red"), nil },
		"it cannot be started": func() (stages.Response, error) { return stages.Response{}, errors.New("no such directory") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &trees{l: &ledger{}}
			s := &script{}
			r := s.runner()
			r.Workspaces = w
			build := r.Executors["x"]
			r.Executors["x"] = stages.Func(func(ctx context.Context, req stages.Request) (stages.Response, error) {
				if w.gone = nil; req.Step.Attempt == 1 {
					w.gone = &stages.Fault{Reason: "the workspace is gone", Lost: true}
					return first()
				}
				return build.Execute(ctx, req)
			})
			v, err := r.Run(t.Context(), graph(t, map[int][]int{1: nil}))
			require.NoError(t, err)
			require.Equal(t, scheduler.AllDone, v)
			require.Equal(t, stages.Lease{Task: id(1), Base: "tip", Mode: stages.Fresh}, w.leases[1])
		})
	}
}
