package stages_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// untilCut is an executor that never ends by itself.
var untilCut = stages.Func(func(ctx context.Context, _ stages.Request) (stages.Response, error) {
	<-ctx.Done()
	return stages.Response{
		Usage:  stages.Usage{Sends: 1},
		Result: dispatch.Result{Failures: []dispatch.Failure{{Error: "last words"}}},
	}, ctx.Err()
})

// talking prints something every interval, so many times, and passes.
func talking(interval time.Duration, times int) stages.Executor {
	return stages.Func(func(ctx context.Context, req stages.Request) (stages.Response, error) {
		for range times {
			select {
			case <-ctx.Done():
				return stages.Response{}, ctx.Err()
			case <-time.After(interval):
				_, _ = req.Sink.Output().Write([]byte("."))
			}
		}
		return stages.Response{Result: dispatch.Result{Status: dispatch.Pass}}, nil
	})
}

func TestStageOverItsTimeIsAFailNotAnInterruption(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		resp, err := stages.Timeout(untilCut, 30*time.Minute).Execute(t.Context(), stages.Request{Sink: stages.Discard})
		require.NoError(t, err)
		require.Equal(t, dispatch.Fail, resp.Status)
		require.Equal(t, "timed out after 30m0s", resp.Summary)
		require.Equal(t, 30*time.Minute, time.Since(began))
	})
}

func TestCutStageKeepsItsUsageAndFailureDetails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		resp, err := stages.Timeout(untilCut, time.Minute).Execute(t.Context(), stages.Request{Sink: stages.Discard})
		require.NoError(t, err)
		require.Equal(t, 1, resp.Usage.Sends)
		require.Equal(t, "last words", resp.Failures[0].Error)
	})
}

func TestTimeoutOfATaskGoesBeforeTheConfiguredOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		req := stages.Request{Sink: stages.Discard, Spec: tasks.Task{Options: tasks.Options{Timeout: time.Second}}}
		resp, err := stages.Timeout(untilCut, time.Hour).Execute(t.Context(), req)
		require.NoError(t, err)
		require.Equal(t, "timed out after 1s", resp.Summary)
	})
}

func TestSilentStageIsAFail(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		resp, err := stages.IdleTimeout(untilCut, 10*time.Minute).Execute(t.Context(), stages.Request{Sink: stages.Discard})
		require.NoError(t, err)
		require.Equal(t, dispatch.Fail, resp.Status)
		require.Equal(t, "no output for 10m0s", resp.Summary)
	})
}

func TestStageThatGoesOnTalkingIsNotIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := stages.IdleTimeout(talking(9*time.Minute, 10), 10*time.Minute)
		resp, err := e.Execute(t.Context(), stages.Request{Sink: stages.Discard})
		require.NoError(t, err)
		require.Equal(t, dispatch.Pass, resp.Status)
	})
}

func TestBothTimeoutsStackAndTheFirstCounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := stages.Timeout(stages.IdleTimeout(talking(time.Minute, 100), 2*time.Minute), 30*time.Minute)
		resp, err := e.Execute(t.Context(), stages.Request{Sink: stages.Discard})
		require.NoError(t, err)
		require.Equal(t, "timed out after 30m0s", resp.Summary)
	})
}

func TestCancelledRunStaysAnInterruption(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		e := stages.Timeout(stages.IdleTimeout(untilCut, time.Hour), time.Hour)
		_, err := e.Execute(ctx, stages.Request{Sink: stages.Discard})
		require.ErrorIs(t, err, context.Canceled)
	})
}

func TestOtherErrorIsNotTakenForATimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		refused := errors.New("refused")
		e := stages.Timeout(stages.Func(func(ctx context.Context, _ stages.Request) (stages.Response, error) {
			<-ctx.Done()
			return stages.Response{}, refused
		}), time.Second)
		_, err := e.Execute(t.Context(), stages.Request{Sink: stages.Discard})
		require.ErrorIs(t, err, refused)
	})
}

func TestWithoutALimitNothingIsCut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := stages.Timeout(stages.IdleTimeout(talking(time.Hour, 100), 0), 0)
		resp, err := e.Execute(t.Context(), stages.Request{Sink: stages.Discard})
		require.NoError(t, err)
		require.Equal(t, dispatch.Pass, resp.Status)
	})
}
