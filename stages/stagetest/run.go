//go:build unix

package stagetest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
)

// prompt is how long a stage may take to end once its context has. It covers
// a process that ends when it is asked to, on a busy machine.
const prompt = 8 * time.Second

// Run demands of an executor what the pipeline relies on, in the given stage.
func Run(t *testing.T, stage dispatch.Stage, newExecutor New) {
	s := suite{stage, newExecutor}
	for _, rule := range []struct {
		name  string
		needs Behaviour
		check func(*testing.T, stages.Executor, stages.Request, *Recorder)
	}{
		{"a PASS has a handoff and did its work in the workspace", Passes, s.passes},
		{"noise around the answer does not matter", Noisy, s.passes},
		{"a result reads back as it was written", Passes, s.readsBack},
		{"a FAIL has a reason and is no error", Fails, s.fails},
		{"a contradicted PASS is a FAIL", Crashes, s.neverPasses},
		{"no answer is a FAIL", Mute, s.neverPasses},
		{"a PASS of another TASK is a FAIL", Impostor, s.neverPasses},
		{"an ended context starts nothing", Passes, s.startsNothing},
		{"the end of the context ends the stage and leaves nothing running", Hangs, s.stops},
		{"a deadline is told from a cancellation", Hangs, s.deadline},
		{"stages run at once without knowing of each other", Passes, s.atOnce},
	} {
		req, recorder := s.request(t, "text of this request")
		executor := newExecutor(t, rule.needs, &req)
		if executor == nil {
			continue
		}
		t.Run(rule.name, func(t *testing.T) {
			t.Parallel()
			rule.check(t, executor, req, recorder)
		})
	}
}

type suite struct {
	stage       dispatch.Stage
	newExecutor New
}

func (s suite) request(t *testing.T, text string) (stages.Request, *Recorder) {
	t.Helper()
	req, recorder := Request(t, s.stage)
	req.Env = []string{TextVar + "=" + text, AliveVar + "=" + filepath.Join(t.TempDir(), "alive")}
	return req, recorder
}

func (s suite) passes(t *testing.T, e stages.Executor, req stages.Request, recorder *Recorder) {
	before := outside(t, req)
	resp, err := e.Execute(t.Context(), req)
	require.NoError(t, err)
	requirePass(t, resp)
	requireMade(t, req, "text of this request")
	require.Contains(t, recorder.Printed(), "text of this request", "what a stage prints is recorded")
	require.Equal(t, before, outside(t, req), "nothing outside the workspace has changed")
	require.Nil(t, resp.Wait)
}

func (s suite) readsBack(t *testing.T, e stages.Executor, req stages.Request, _ *Recorder) {
	resp, err := e.Execute(t.Context(), req)
	require.NoError(t, err)
	requirePass(t, resp)
	expect := dispatch.Expect{Work: req.Dispatch.Work, Task: req.Step.Task, Agent: req.Step.Stage}

	var written bytes.Buffer
	require.NoError(t, resp.Result.Encode(&written))
	read, err := dispatch.ParseResult(written.Bytes(), expect)
	require.NoError(t, err)
	require.Equal(t, resp.Status, read.Status)
	require.Equal(t, resp.Handoff.What, read.Handoff.What)

	if resp.Printed != nil {
		read, err = dispatch.ParseResult(resp.Printed, expect)
		require.NoError(t, err, "what was printed holds the result")
		require.Equal(t, resp.Status, read.Status)
	}
}

func (s suite) fails(t *testing.T, e stages.Executor, req stages.Request, _ *Recorder) {
	resp, err := e.Execute(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, dispatch.Fail, resp.Status)
	require.NotEmpty(t, resp.Summary, "a FAIL says why")
}

func (s suite) neverPasses(t *testing.T, e stages.Executor, req stages.Request, _ *Recorder) {
	resp, err := e.Execute(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, dispatch.Fail, resp.Status)
	require.NotEmpty(t, resp.Summary, "a FAIL says why")
}

func (s suite) startsNothing(t *testing.T, e stages.Executor, req stages.Request, _ *Recorder) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := e.Execute(ctx, req)
	require.ErrorIs(t, err, context.Canceled)
	require.NoFileExists(t, filepath.Join(req.Workspace, MadeFile))
}

func (s suite) stops(t *testing.T, e stages.Executor, req stages.Request, _ *Recorder) {
	life := watch(t, req)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := e.Execute(ctx, req)
		ended <- err
	}()
	life.waitForStart(t)
	cancel()
	select {
	case err := <-ended:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(prompt):
		t.Fatalf("the stage goes on %s after its context has ended", prompt)
	}
	life.requireOver(t)
}

func (s suite) deadline(t *testing.T, e stages.Executor, req stages.Request, _ *Recorder) {
	life := watch(t, req)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := e.Execute(ctx, req)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	life.requireOver(t)
}

func (s suite) atOnce(t *testing.T, e stages.Executor, _ stages.Request, _ *Recorder) {
	const many = 8
	var stagesRunning sync.WaitGroup
	for i := range many {
		text := fmt.Sprintf("text %d of %d", i, many)
		req, recorder := s.request(t, text)
		s.newExecutor(t, Passes, &req) // for what it does to the request
		stagesRunning.Go(func() {
			resp, err := e.Execute(t.Context(), req)
			if err != nil || resp.Status != dispatch.Pass {
				t.Errorf("%s: %v %s", text, err, resp.Summary)
				return
			}
			if made, err := os.ReadFile(filepath.Join(req.Workspace, MadeFile)); err != nil || strings.TrimSpace(string(made)) != text {
				t.Errorf("%s: made %q, %v", text, made, err)
			}
			if !strings.Contains(recorder.Printed(), text) {
				t.Errorf("%s: printed %q", text, recorder.Printed())
			}
		})
	}
	stagesRunning.Wait()
}
