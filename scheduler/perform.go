package scheduler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/progress"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/window"
)

// job is one step with everything that the plan says about it, so that it can
// run without looking at the plan again.
type job struct {
	*Runner
	action   Action
	name     string // of the executor
	executor stages.Executor
	dispatch dispatch.Dispatch
	previous *dispatch.Result
	input    stages.CommitInput
	sink     stages.Sink
	started  time.Time
}

// begin records that a step starts and returns the work.
func (u *run) begin(ctx context.Context, a *Action) (func() error, error) {
	j := job{Runner: u.Runner, action: *a, dispatch: u.plan.Dispatch(a.Step), previous: u.plan.Previous(a.Step), input: u.plan.CommitInput(a.Step), sink: stages.Discard, started: u.Now()}
	if u.Sinks != nil {
		j.sink = u.Sinks(a.Step, func(ev stages.Evidence) error {
			e := j.event(Type(ev.Type))
			e.Reason, e.Data = ev.Text, ev.Data
			u.emitted <- e
			return nil
		})
	}
	if a.Step.Stage == dispatch.Committer {
		j.name = string(dispatch.Committer)
	} else {
		var err error
		if j.name, j.executor, err = u.executor(&j.input.Task, a.Step); err != nil {
			return nil, err
		}
		if a.ByHand {
			j.name, j.executor = ByHand, byHand(j.input.Builder.Handoff)
		}
	}
	if j.action.Lease.Base == "" {
		tip, err := u.branchTip(ctx)
		if err != nil {
			return nil, err
		}
		j.action.Lease.Base, j.input.Base = tip, tip
	}
	e := j.event(StageStarted)
	e.Base, e.Continues = j.action.Lease.Base, j.executor != nil && stages.Continues(j.executor)
	if err := u.record(e); err != nil {
		return nil, err
	}
	return func() (err error) {
		var o outcome
		defer func() {
			if p := recover(); p != nil {
				u.Log.Error("panic", "step", a.Step.String(), "stack", string(debug.Stack()))
				err = fmt.Errorf("%s: panic: %v", a.Step, p)
			}
			o.err = err
			u.done <- o
		}()
		e, err := j.perform(u.stepCtx)
		if c, ok := j.sink.(io.Closer); ok {
			err = errors.Join(err, c.Close())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", a.Step, err)
		}
		o.event = e
		return nil
	}, nil
}

// event makes an event about the job's step.
func (j *job) event(t Type) Event {
	s := j.action.Step
	e := Event{Type: t, Task: s.Task, Stage: s.Stage, Attempt: s.Attempt, Executor: j.name}
	if s.Round > 1 {
		e.Round = s.Round
	}
	return e
}

// perform does the step. No event and no error means that it was interrupted.
func (j *job) perform(ctx context.Context) (*Event, error) {
	sent, err := j.keepDispatch()
	if err != nil {
		return nil, err
	}
	e := j.event(StageFinished)
	resp, err := j.stage(ctx, &e)
	var fault *stages.Fault
	switch {
	case errors.As(err, &fault):
		resp, e.Lost = stages.Failed(fault.Reason, fault.Details...), fault.Lost
	case err != nil && ctx.Err() != nil:
		return nil, nil
	case err != nil:
		return nil, err
	case resp.Wait != nil:
		return j.wait(&resp), nil
	}
	j.judge(&resp)
	printed, err := j.keepResult(&resp)
	if err != nil {
		return nil, err
	}
	e.Status, e.Result, e.Millis = resp.Status, &resp.Result, j.Now().Sub(j.started).Milliseconds()
	if j.Sinks != nil {
		e.Hashes = &Hashes{Dispatch: sent, Result: printed}
	}
	if resp.Usage != (stages.Usage{}) {
		e.Usage = &resp.Usage
	}
	if resp.Status == dispatch.Fail {
		e.Reason, e.Snapshot, e.Commit = reasonOf(&resp.Result), nil, ""
	}
	return &e, nil
}

// wait is the event of a step that asks to come again later.
func (j *job) wait(resp *stages.Response) *Event {
	e := j.event(WaitStarted)
	e.For, e.Reason, e.State = ForRateLimit, resp.Wait.Reason, resp.Wait.State
	if resp.Wait.Budget {
		e.For = ForBudget
	} else {
		e.Until = &resp.Wait.Until
	}
	if resp.Usage != (stages.Usage{}) {
		e.Usage = &resp.Usage
	}
	return &e
}

// stage runs the executor, or the committer, with its workspace.
func (j *job) stage(ctx context.Context, e *Event) (stages.Response, error) {
	s := j.action.Step
	if s.Stage == dispatch.Committer {
		return j.commit(ctx, e)
	}
	req := stages.Request{
		Step: s, Dispatch: j.dispatch, Spec: j.input.Task, Session: j.input.Session, HandoffDir: j.HandoffDir,
		Base: j.action.Lease.Base, Env: j.Env, Now: j.started, Interrupted: j.action.Interrupted, Resume: j.action.Resume, Sink: j.sink, Previous: j.previous, Foreign: j.Foreign,
	}
	if j.AgentDir != nil {
		req.AgentDir = j.AgentDir(s.Agent())
	}
	if s.Stage == dispatch.Verifier {
		req.Snapshot, req.Changes = cmp.Or(j.action.Lease.Tree, j.input.Snapshot.Tree), j.input.Snapshot.Changes
	}
	if j.Workspaces != nil {
		ws, err := j.open(ctx, &req)
		if err != nil {
			return stages.Response{}, err
		}
		req.Workspace, req.Progress, req.Facts = ws.Dir, ws.Progress, j.Workspaces.Facts(s.Task)
		if c := req.Dispatch.Retry; c != nil && c.Conflict != nil && ws.EarlierDiff != "" {
			c.Conflict.EarlierDiff = ws.EarlierDiff
		}
		if len(ws.Undone) > 0 {
			err := j.sink.Evidence(stages.Evidence{Type: string(Warning), Text: "put back what had changed since the snapshot: " + strings.Join(ws.Undone, ", ")})
			if err != nil {
				return stages.Response{}, err
			}
		}
	}
	resp, err := j.executor.Execute(ctx, req)
	if resp, err = j.lost(ctx, e, resp, err); err != nil || resp.Wait != nil || s.Stage != dispatch.Builder || resp.Status != dispatch.Pass {
		return resp, err
	}
	e.Snapshot, err = j.snapshot(ctx, resp.DeclareAll)
	return resp, err
}

// open opens the workspace. A step that was to go on in one that is gone, or is
// not its own any more, begins again in a new one: that is no failure of its own.
func (j *job) open(ctx context.Context, req *stages.Request) (stages.Workspace, error) {
	ws, err := j.Workspaces.Open(ctx, j.action.Lease)
	var fault *stages.Fault
	if !req.Interrupted || j.action.Lease.Mode != stages.Keep || !errors.As(err, &fault) {
		return ws, err
	}
	req.Interrupted = false
	anew := j.action.Lease
	anew.Mode = stages.Fresh
	return j.Workspaces.Open(ctx, anew)
}

// lost sees to it that a step whose workspace vanished under it is a FAIL, and
// that the next attempt gets another workspace and need not fail to find out.
func (j *job) lost(ctx context.Context, e *Event, resp stages.Response, err error) (stages.Response, error) {
	if j.Workspaces == nil || ctx.Err() != nil || err == nil && (resp.Wait != nil || resp.Status != dispatch.Fail) {
		return resp, err
	}
	gone := j.Workspaces.Intact(j.action.Task)
	if gone == nil {
		return resp, err
	}
	if err != nil {
		return resp, gone
	}
	e.Lost = true
	return resp, nil
}

// snapshot records the workspace as the builder left it.
func (j *job) snapshot(ctx context.Context, declareAll bool) (*stages.Snapshot, error) {
	if j.Workspaces == nil {
		return &stages.Snapshot{}, nil
	}
	var declare func([]stages.Change) []byte
	if declareAll {
		declare = func(changes []stages.Change) []byte {
			return progress.Render(string(j.action.Task), "COMPLETED", j.started, j.Now(), changes)
		}
	}
	s, err := j.Workspaces.Snapshot(ctx, j.action.Task, declare)
	if err != nil {
		return &s, err
	}
	for _, c := range s.Changes {
		if name := j.Mask.In([]byte(c.Path)); name != "" {
			return nil, stages.Faultf("secret in the name of a changed file: the value of %s", name)
		}
	}
	return &s, nil
}

// commit is the committer: gate, claims, result.md, candidate.
func (j *job) commit(ctx context.Context, e *Event) (stages.Response, error) {
	if j.Objects == nil {
		e.Commit = stages.Hash(j.action.Step.String())
		return stages.Response{Result: dispatch.Result{Status: dispatch.Pass, Handoff: &window.Handoff{What: "Nothing to commit to"}}}, nil
	}
	in := j.input
	in.Undeclared, in.Objects, in.Hooks, in.Mask = j.Undeclared, j.Objects, j.Hooks, j.Mask
	if j.Workspaces != nil {
		ws := j.Workspaces.Where(j.action.Task)
		in.ProgressPath, in.ResultPath = ws.ProgressPath, ws.ResultPath
	}
	made, result, err := stages.Commit(ctx, in)
	e.Commit = made.Commit
	if result.Status == dispatch.Fail {
		e.Progress = j.Mask.Text(made.Progress)
	}
	return stages.Response{Result: result}, err
}
