package stages_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/window"
)

// limited asks to wait so often, each time as long, and then passes.
func limited(times int, wait time.Duration, calls *[]string, name string) stages.Executor {
	return stages.Func(func(_ context.Context, req stages.Request) (stages.Response, error) {
		*calls = append(*calls, name+string(req.Resume))
		if times--; times >= 0 {
			return stages.Response{Usage: stages.Usage{Sends: 1}, Wait: &stages.Wait{Until: time.Now().Add(wait), Reason: "429", State: stages.State(`"` + name + `"`)}}, nil
		}
		return stages.Response{Usage: stages.Usage{Sends: 1}, Result: dispatch.Result{Status: dispatch.Pass, Handoff: &window.Handoff{What: name}}}, nil
	})
}

// last runs an executor until it does not ask to wait any more.
func last(t *testing.T, e stages.Executor) (resp stages.Response, waits int) {
	t.Helper()
	req := stages.Request{Sink: stages.Discard}
	for {
		resp, err := e.Execute(t.Context(), req)
		require.NoError(t, err)
		if resp.Wait == nil {
			return resp, waits
		}
		waits++
		req.Resume = resp.Wait.State
	}
}

func TestExecutorThatAnswersIsNotReplaced(t *testing.T) {
	t.Parallel()
	var calls []string
	resp, waits := last(t, stages.Fallback(time.Hour, limited(2, time.Second, &calls, "a"), limited(0, 0, &calls, "b")))
	require.Equal(t, "a", resp.Handoff.What)
	require.Equal(t, 2, waits)
	require.Equal(t, []string{"a", `a"a"`, `a"a"`}, calls, "it gets its own state back")
}

func TestThreeWaitsInARowTurnToTheNext(t *testing.T) {
	t.Parallel()
	var calls []string
	resp, waits := last(t, stages.Fallback(time.Hour, limited(9, time.Second, &calls, "a"), limited(1, time.Second, &calls, "b")))
	require.Equal(t, "b", resp.Handoff.What)
	require.Equal(t, 3, waits)
	require.Equal(t, []string{"a", `a"a"`, `a"a"`, "b", `b"b"`}, calls, "the next one begins from its own start")
}

func TestWaitLongerThanMaxWaitTurnsToTheNextAtOnce(t *testing.T) {
	t.Parallel()
	var calls []string
	resp, waits := last(t, stages.Fallback(time.Minute, limited(9, time.Hour, &calls, "a"), limited(0, 0, &calls, "b")))
	require.Equal(t, "b", resp.Handoff.What)
	require.Zero(t, waits)
	require.Equal(t, 2, resp.Usage.Sends, "what the first used is counted")
}

func TestLastExecutorIsNeverGivenUp(t *testing.T) {
	t.Parallel()
	var calls []string
	resp, waits := last(t, stages.Fallback(time.Minute, limited(3, time.Hour, &calls, "a"), limited(7, time.Hour, &calls, "b")))
	require.Equal(t, "b", resp.Handoff.What)
	require.Equal(t, 7, waits)
}

func TestBudgetIsNoReasonToTurnToTheNext(t *testing.T) {
	t.Parallel()
	spent := stages.Func(func(context.Context, stages.Request) (stages.Response, error) {
		return stages.Response{Wait: &stages.Wait{Budget: true}}, nil
	})
	req := stages.Request{Sink: stages.Discard}
	for range 5 {
		resp, err := stages.Fallback(time.Minute, spent, stages.Func(nil)).Execute(t.Context(), req)
		require.NoError(t, err)
		require.True(t, resp.Wait.Budget)
		req.Resume = resp.Wait.State
	}
}
