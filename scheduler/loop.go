package scheduler

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// outcome is what a step or a landing ends with: an event to record, or
// nothing when it was interrupted.
type outcome struct {
	event   *Event
	landing bool
	err     error // what ends the run
}

var errStopped = errors.New("the run was stopped")

// loop asks the plan, records, and starts what may be done, until the run is
// over or cut off. Facts that come in together share one sync.
func (u *run) loop(ctx context.Context) (Verdict, error) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		if err := ctx.Err(); err != nil {
			return "", context.Cause(ctx)
		}
		if u.stepCtx.Err() != nil {
			return "", u.stepCtx.Err()
		}
		u.tip = ""
		actions := u.plan.Next(u.Jobs)
		if len(actions) == 1 && actions[0].Kind == Halt {
			return u.finish()
		}
		start, due, again, err := u.take(ctx, actions)
		if err != nil {
			return "", err
		}
		if err := u.sync(); err != nil {
			return "", err
		}
		u.tidy()
		for _, f := range start {
			u.inFlight++
			u.group.Go(after(u.closed, f))
		}
		if again {
			continue
		}
		timer.Stop()
		if due != nil {
			timer.Reset(due.Until.Sub(u.Now()))
		}
		if err := u.await(ctx, timer, due); err != nil {
			return "", err
		}
	}
}

// take records what the actions begin and returns the work to start once that
// is durable, the wait that ends first, and whether to ask the plan again.
func (u *run) take(ctx context.Context, actions []Action) (start []func() error, due *Action, again bool, err error) {
	for k := range actions {
		a := &actions[k]
		switch a.Kind {
		case Execute:
			f, err := u.begin(ctx, a)
			if err != nil {
				return nil, nil, false, err
			}
			start = append(start, f)
		case Land:
			if !u.landing {
				u.landing = true
				start = append(start, u.land(*a))
			}
		case RecordWait:
			again = true
			if err := u.record(Event{Type: WaitStarted, Task: a.Task, For: a.For}); err != nil {
				return nil, nil, false, err
			}
		case Wait:
			due = a
		}
	}
	return start, due, again, nil
}

// await blocks until something happened, and folds all that did.
func (u *run) await(ctx context.Context, timer *time.Timer, due *Action) error {
	var expired <-chan time.Time
	if due != nil {
		expired = timer.C
	}
	select {
	case o := <-u.done:
		if err := u.settle(o); err != nil {
			return err
		}
	case e := <-u.emitted:
		if err := u.record(e); err != nil {
			return err
		}
	case e, ok := <-u.Commands:
		if !ok {
			u.Commands = nil
			return nil
		}
		if err := u.obey(e); err != nil {
			return err
		}
	case <-expired:
		return u.record(Event{Type: WaitEnded, Task: due.Task, For: due.For})
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-u.stepCtx.Done():
		return u.stepCtx.Err()
	}
	for {
		select {
		case o := <-u.done:
			if err := u.settle(o); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// settle records how a step or landing ended.
func (u *run) settle(o outcome) error {
	u.inFlight--
	if o.landing {
		u.landing = false
	}
	if o.err != nil || o.event == nil {
		return o.err
	}
	u.ended = append(u.ended, o.event.Task)
	return u.record(*o.event)
}

// tidy ends the use of the workspaces whose TASKs have come to their end. The
// record says so durably: a run that is cut off here leaves a worktree, nothing
// else. Steps that begin from now on wait for it, so that they find a
// workspace that is free.
func (u *run) tidy() {
	keep := map[tasks.ID]bool{}
	for _, id := range u.ended {
		if state := u.plan.State(id).State; state == IsLanded || state == IsFailed || state == Skipped || state == UpToDate {
			keep[id] = state == IsFailed
		}
	}
	u.ended = u.ended[:0]
	if u.Workspaces == nil || len(keep) == 0 {
		return
	}
	before, closed := u.closed, make(chan struct{})
	u.closed = closed
	u.inFlight++
	u.group.Go(func() error {
		if before != nil {
			<-before
		}
		for id, kept := range keep {
			if err := u.Workspaces.Close(context.WithoutCancel(u.stepCtx), id, kept); err != nil {
				u.emitted <- Event{Type: Warning, Task: id, Reason: "its workspace is left behind: " + err.Error()}
			}
		}
		close(closed)
		u.done <- outcome{}
		return nil
	})
}

// after is f once the closings under way are done.
func after(closed <-chan struct{}, f func() error) func() error {
	if closed == nil {
		return f
	}
	return func() error {
		<-closed
		return f()
	}
}

// obey records a person's command if it makes sense now, else why not.
func (u *run) obey(e Event) error {
	if e.Type == Command {
		if why, ok := u.plan.Allows(e); !ok {
			e = Event{Type: Warning, Task: e.Task, Request: e.Request, Reason: string(e.Verb) + " refused: " + why}
		}
	}
	if err := u.record(e); err != nil {
		return err
	}
	u.ended = append(u.ended, e.Task)
	if err := u.sync(); err != nil || u.Answered == nil {
		return err
	}
	return u.Answered(e)
}

// finish ends the run. What is under way is cut off first; that happens only
// after stop, or when the first failure shall be the last.
func (u *run) finish() (Verdict, error) {
	if u.inFlight > 0 {
		u.cancel(errStopped)
		if err := u.drain(); err != nil {
			return "", err
		}
	}
	totals := u.plan.Totals()
	v := u.plan.verdict()
	return v, u.record(Event{Type: RunFinished, Verdict: v, Totals: &totals})
}

// end leaves nothing under way, unrecorded or open behind.
func (u *run) end() error {
	if err := u.drain(); err != nil {
		return err
	}
	if err := u.sync(); err != nil {
		return err
	}
	u.tidy()
	return cmp.Or(u.drain(), u.sync())
}

// drain waits for all that is under way, and records how it ended where it
// ended by itself. After the first error nothing more is recorded.
func (u *run) drain() (err error) {
	keep := func(e error) {
		if err == nil {
			err = e
		}
	}
	for u.inFlight > 0 {
		select {
		case o := <-u.done:
			if err != nil {
				u.inFlight--
			} else {
				keep(u.settle(o))
			}
		case e := <-u.emitted:
			if err == nil {
				keep(u.record(e))
			}
		}
	}
	return err
}

// branchTip is the branch's tip, looked up once for all that begins together.
func (u *run) branchTip(ctx context.Context) (stages.Hash, error) {
	if u.Workspaces == nil || u.tip != "" {
		return u.tip, nil
	}
	tip, err := u.Workspaces.Tip(ctx)
	u.tip = tip
	return tip, err
}
