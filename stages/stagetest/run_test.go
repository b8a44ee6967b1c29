package stagetest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/stagetest"
	"github.com/taskpipeline/pipeline/window"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestGoFunctionConforms(t *testing.T) {
	t.Parallel()
	stagetest.Run(t, dispatch.Builder, function)
}

func TestDecoratedFunctionConforms(t *testing.T) {
	t.Parallel()
	stagetest.Run(t, dispatch.Verifier, func(t *testing.T, b stagetest.Behaviour, req *stages.Request) stages.Executor {
		e := function(t, b, req)
		if e == nil {
			return nil
		}
		return stages.Timeout(stages.IdleTimeout(e, 1<<40), 1<<41)
	})
}

// function shows each behaviour as a Go author would write it. A function's
// answer is not parsed, so it has no way to contradict itself.
func function(_ *testing.T, b stagetest.Behaviour, _ *stages.Request) stages.Executor {
	switch b {
	case stagetest.Passes:
		return stages.Func(pass)
	case stagetest.Noisy:
		return stages.Func(func(ctx context.Context, req stages.Request) (stages.Response, error) {
			if _, err := req.Sink.Output().Write(stagetest.Noise()); err != nil {
				return stages.Response{}, err
			}
			return pass(ctx, req)
		})
	case stagetest.Fails:
		return stages.Func(func(context.Context, stages.Request) (stages.Response, error) {
			return stages.Failed("does not compile"), nil
		})
	case stagetest.Hangs:
		return stages.Func(func(ctx context.Context, req stages.Request) (stages.Response, error) {
			alive, err := os.OpenFile(stagetest.Lookup(req, stagetest.AliveVar), os.O_WRONLY, 0)
			if err != nil {
				return stages.Response{}, err
			}
			<-ctx.Done()
			return stages.Response{}, errors.Join(ctx.Err(), alive.Close())
		})
	}
	return nil
}

func pass(ctx context.Context, req stages.Request) (stages.Response, error) {
	if err := ctx.Err(); err != nil {
		return stages.Response{}, err
	}
	text := stagetest.Lookup(req, stagetest.TextVar)
	fmt.Fprintln(req.Sink.Output(), text)
	if err := os.WriteFile(filepath.Join(req.Workspace, stagetest.MadeFile), []byte(text), 0o644); err != nil {
		return stages.Response{}, err
	}
	return stages.Response{Result: dispatch.Result{
		Status:  dispatch.Pass,
		Handoff: &window.Handoff{What: "made " + stagetest.MadeFile},
	}}, nil
}

func TestRecorderKeepsWhatItIsGiven(t *testing.T) {
	t.Parallel()
	_, recorder := stagetest.Request(t, dispatch.Builder)
	fmt.Fprint(recorder.Output(), "said ")
	fmt.Fprint(recorder.Output(), "it")
	require.Equal(t, "said it", recorder.Printed())

	require.NoError(t, recorder.Save("prompts/1.md", []byte("do it")))
	saved, ok := recorder.Saved("prompts/1.md")
	require.True(t, ok)
	require.Equal(t, "do it", string(saved))

	require.NoError(t, recorder.Evidence(stages.Evidence{Type: "warning"}))
	require.Equal(t, []stages.Evidence{{Type: "warning"}}, recorder.Recorded())

	store := recorder.AgentSession("TASK-01-builder")
	_, ok, err := store.Load()
	require.NoError(t, err)
	require.False(t, ok)
	require.NoError(t, store.Store(stages.AgentSession{SessionID: "s"}))
	agent, ok, err := store.Load()
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "s", agent.SessionID)
}

func TestRecorderKeepsNothingOutsideTheStepsFolder(t *testing.T) {
	t.Parallel()
	_, recorder := stagetest.Request(t, dispatch.Builder)
	for _, name := range []string{"", ".", "../escaped", "/etc/passwd", "a/../../b"} {
		require.Error(t, recorder.Save(name, nil), name)
	}
}
