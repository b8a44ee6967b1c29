package scheduler

import (
	"fmt"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/window"
)

// step is what a TASK does now or next.
func (n *node) step() Step {
	return Step{Task: n.task.ID, Stage: n.stage, Attempt: n.attempt, Round: n.round}
}

// stepOf is the step that an event speaks of.
func stepOf(e *Event) Step {
	return Step{Task: e.Task, Stage: e.Stage, Attempt: e.Attempt, Round: max(e.Round, 1)}
}

func (p *Plan) stageStarted(i int, e *Event) string {
	n := &p.nodes[i]
	switch {
	case n.running:
		return fmt.Sprintf("%s is under way", n.step())
	case n.state != Running && (n.state != Pending || n.unmet > 0 && n.current()):
		return fmt.Sprintf("the TASK cannot start: it is %s with %d dependencies missing", n.state, n.unmet)
	case !n.todo():
		return "the TASK has no step to do now"
	case stepOf(e) != n.step():
		return fmt.Sprintf("%s was expected, not %s", n.step(), stepOf(e))
	}
	if !n.begun {
		n.begun = true
		p.conclude(Event{Type: TaskStarted, Task: n.task.ID})
	}
	p.going = without(p.going, i)
	p.hold(i)
	n.state, n.running, n.continues, n.cut = Running, true, e.Continues, false
	p.running++
	if n.change != "" {
		p.stackUp(i)
	}
	if n.stage == dispatch.Builder {
		n.base = e.Base
	}
	if n.stage != dispatch.Committer {
		n.opened = e.Base
	}
	return ""
}

func (p *Plan) stageFinished(i int, e *Event) string {
	n := &p.nodes[i]
	switch {
	case !n.running || stepOf(e) != n.step():
		return fmt.Sprintf("%s was not started", stepOf(e))
	case e.Result == nil || e.Result.Status != e.Status:
		return "it holds no result with its status"
	case e.Status != dispatch.Pass && e.Status != dispatch.Fail:
		return fmt.Sprintf("status %q is neither PASS nor FAIL", e.Status)
	case e.Status == dispatch.Pass && n.stage == dispatch.Builder && e.Snapshot == nil:
		return "it holds no snapshot"
	}
	n.running, n.wait = false, nil
	n.warm, n.lost = true, e.Lost
	p.running--
	switch {
	case n.change != "":
		p.stackedStep(i, e)
		return ""
	case e.Status == dispatch.Fail:
		p.fail(i, failureOf(e))
		return ""
	}
	switch n.stage {
	case dispatch.Builder:
		n.builder, n.snapshot, n.stage = e.Result, e.Snapshot, dispatch.Verifier
	case dispatch.Verifier:
		n.verifier, n.at, n.stage = e.Result, e.Time, dispatch.Committer
		if n.needsApproval() {
			p.asking = append(p.asking, i)
			return ""
		}
	case dispatch.Committer:
		n.change, n.changeBase, n.candidate, n.verified = e.Commit, n.base, e.Commit, true
	}
	p.enqueue(i)
	return ""
}

// stackedStep takes in a step of a TASK that was put on another base: its
// candidate made there, or that verified. A FAIL counts once all that the tree
// holds has landed.
func (p *Plan) stackedStep(i int, e *Event) {
	n := &p.nodes[i]
	switch {
	case e.Status == dispatch.Fail && !p.willStandOn(i, n.base):
		n.astray = true
		return
	case e.Status == dispatch.Fail:
		n.red = failureOf(e)
		p.settle()
		return
	case n.stage == dispatch.Committer:
		n.candidate = e.Commit
		n.stage, n.verified = dispatch.Verifier, !p.opts.Reverifies(n.merged)
	default:
		n.verified = true
	}
	p.enqueue(i)
}

// current reports whether the TASK is still what it was when it was started. On
// a replay over a newer graph its dependencies may be others than those it was
// started with, until task_respecified takes the change over.
func (n *node) current() bool { return n.hash == n.task.SpecHash }

// needsApproval reports whether a person has to look at the diff first.
func (n *node) needsApproval() bool {
	return n.approve && !n.approved && n.stage == dispatch.Committer && n.change == ""
}

func failureOf(e *Event) *failure {
	f := &failure{stage: string(e.Stage), reason: e.Reason, details: e.Result.Failures, result: e.Result}
	switch e.Stage {
	case dispatch.Verifier:
		f.handoff = e.Result.Handoff
	case dispatch.Committer:
		f.progress = e.Progress
	}
	return f
}

// fail uses up one attempt. The TASK goes back to its builder, or is FAILED if
// that was its last.
func (p *Plan) fail(i int, f *failure) {
	n := &p.nodes[i]
	n.failures++
	n.last = f
	if n.failures-n.failedIn >= p.opts.attempts() {
		p.giveUp(i)
		return
	}
	p.rebuild(i, stages.Keep)
}

// rebuild begins the next attempt of a TASK.
func (p *Plan) rebuild(i int, mode stages.Mode) {
	n := &p.nodes[i]
	n.attempt++
	n.round, n.approved, n.cut = 1, false, false
	n.stage, n.mode, n.byHand = dispatch.Builder, mode, false
	n.from, n.fromBase = "", ""
	p.unstack(i)
	n.stacked = stacked{}
	if n.state == Waiting {
		n.state = Running
	}
	p.enqueue(i)
}

// giveUp makes a TASK FAILED, and halts the run unless it is to keep going.
func (p *Plan) giveUp(i int) {
	n := &p.nodes[i]
	p.leave(i)
	n.state, n.stacked, n.wait = IsFailed, stacked{}, nil
	p.failed++
	p.conclude(Event{Type: TaskFailed, Task: n.task.ID, Reason: n.last.reason})
	if p.failed == 1 && !p.opts.KeepGoing {
		p.conclude(Event{Type: RunHalted, Task: n.task.ID})
	}
}

// land ends a TASK well: its dependents may start, and get its handoff.
func (p *Plan) land(i int, commit stages.Hash) {
	n := &p.nodes[i]
	p.stack = without(p.stack, i) // those behind it stand on what has landed
	p.leave(i)
	n.state, n.commit, n.stacked, n.wait = IsLanded, commit, stacked{}, nil
	if n.handoff == nil {
		h := window.Merge(handoffOf(n.builder), handoffOf(n.verifier))
		n.handoff = &h
	}
	n.builder, n.verifier, n.last = nil, nil, nil
	p.satisfy(i)
}

func handoffOf(r *dispatch.Result) window.Handoff {
	if r == nil || r.Handoff == nil {
		return window.Handoff{}
	}
	return *r.Handoff
}
