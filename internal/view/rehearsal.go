package view

import (
	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// rehearsal drives a Plan to its end as a Runner would, but with stages that
// all pass, all take equally long, and touch nothing. It so shows what would
// run without a second idea of what a run is.
type rehearsal struct {
	plan       *scheduler.Plan
	tip        stages.Hash
	under      []scheduler.Step
	ran        map[tasks.ID]bool
	reverified int
}

// rehearse plays a run that begins after the given events.
func rehearse(g *tasks.Graph, events []scheduler.Event, jobs int, tip stages.Hash) (*rehearsal, error) {
	p, err := scheduler.Replay(g, events)
	if err != nil {
		return nil, err
	}
	r := &rehearsal{plan: p, tip: tip, ran: map[tasks.ID]bool{}}
	options := p.Options()
	if err := r.record(scheduler.Event{Type: scheduler.RunJoined, Config: &options}); err != nil {
		return nil, err
	}
	for t := range g.All() {
		if s := p.State(t.ID); s.State == scheduler.Waiting && s.Wait == scheduler.ForApproval {
			if err := r.approve(t.ID); err != nil {
				return nil, err
			}
		}
	}
	return r, r.play(jobs)
}

func (r *rehearsal) play(jobs int) error {
	for {
		actions := r.plan.Next(jobs)
		if len(actions) == 1 && actions[0].Kind == scheduler.Halt {
			return nil
		}
		took := false
		for i := range actions {
			more, err := r.take(&actions[i])
			if err != nil {
				return err
			}
			took = took || more
		}
		if took {
			continue
		}
		if len(r.under) == 0 {
			return nil
		}
		under := r.under
		r.under = nil
		for _, s := range under {
			if err := r.pass(s); err != nil {
				return err
			}
		}
	}
}

// take does one action; false means that there was nothing to do for it.
func (r *rehearsal) take(a *scheduler.Action) (bool, error) {
	e := scheduler.Event{Task: a.Task}
	switch a.Kind {
	case scheduler.Execute:
		e.Type, e.Stage, e.Attempt, e.Round = scheduler.StageStarted, a.Step.Stage, a.Step.Attempt, a.Step.Round
		if e.Base = a.Lease.Base; e.Base == "" {
			e.Base = r.tip
		}
		if a.Step.Stage == dispatch.Verifier && a.Step.Round > 1 {
			r.reverified++
		}
		r.ran[a.Task] = true
		r.under = append(r.under, a.Step)
	case scheduler.Land:
		e.Type = scheduler.LandingFinished
		switch l := a.Landing; {
		case l.Onto != "":
			e.Outcome, e.Onto, e.With = scheduler.Moved, l.Onto, string(l.Below)
		case l.Base == r.tip && !l.Unverified:
			e.Outcome, e.Commit = scheduler.Landed, l.Candidate
			r.tip = l.Candidate
		default:
			e.Outcome, e.Onto = scheduler.Moved, r.tip
		}
		r.ran[a.Task] = true
	case scheduler.RecordWait:
		e.Type, e.For = scheduler.WaitStarted, a.For
		if err := r.record(e); err != nil || a.For != scheduler.ForApproval {
			return true, err
		}
		return true, r.approve(a.Task)
	case scheduler.Wait:
		e.Type, e.For = scheduler.WaitEnded, a.For
	default:
		return false, nil
	}
	return true, r.record(e)
}

func (r *rehearsal) approve(id tasks.ID) error {
	r.ran[id] = true
	return r.record(scheduler.Event{Type: scheduler.Command, Verb: scheduler.Approve, Task: id})
}

// pass ends a step well.
func (r *rehearsal) pass(s scheduler.Step) error {
	e := scheduler.Event{
		Type: scheduler.StageFinished, Task: s.Task, Stage: s.Stage, Attempt: s.Attempt, Round: s.Round, Status: dispatch.Pass,
		Result: &dispatch.Result{Status: dispatch.Pass, Handoff: &window.Handoff{What: "rehearsed"}},
	}
	switch s.Stage {
	case dispatch.Builder:
		e.Snapshot = &stages.Snapshot{}
	case dispatch.Committer:
		e.Commit = stages.Hash("rehearsed " + s.String())
	}
	return r.record(e)
}

// record applies an event and what the plan concludes from it.
func (r *rehearsal) record(e scheduler.Event) error {
	if err := r.plan.Apply(e); err != nil {
		return err
	}
	for due := r.plan.Conclusions(); len(due) > 0; due = r.plan.Conclusions() {
		if err := r.plan.Apply(due[0]); err != nil {
			return err
		}
	}
	return nil
}
