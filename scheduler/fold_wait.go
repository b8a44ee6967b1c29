package scheduler

import (
	"container/heap"
	"fmt"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
)

func (p *Plan) waitStarted(i int, e *Event) string {
	n := &p.nodes[i]
	switch e.For {
	case ForApproval:
		if n.state != Running || n.running || !n.needsApproval() {
			return "the TASK does not wait for approval"
		}
		p.freeSlot(i)
		p.freeLocks(i)
		n.wait = &waiting{what: ForApproval}
	case ForBlocked:
		if n.wait == nil || n.wait.what != ForBlocked {
			return "the TASK's landing is not blocked"
		}
	case ForRateLimit:
		if !n.running || e.Until == nil {
			return "no step of the TASK is under way, or the wait has no end"
		}
		n.running = false
		p.running--
		p.freeSlot(i)
		p.unstack(i)
		length := max(e.Until.Sub(e.Time), minWait)
		n.waited += length
		n.wait = &waiting{what: ForRateLimit, until: e.Time.Add(length), state: e.State, reason: e.Reason}
		if n.wait.gaveUp = n.waited > p.opts.maxWait(); n.wait.gaveUp {
			p.freeLocks(i)
		} else {
			heap.Push(&p.waits, waitEntry{n.wait.until, i})
		}
	case ForBudget:
		if !n.running {
			return "no step of the TASK is under way"
		}
		n.running = false
		p.running--
		p.freeSlot(i)
		p.freeLocks(i)
		p.unstack(i)
		n.wait = &waiting{what: ForBudget, state: e.State, reason: e.Reason}
	default:
		return fmt.Sprintf("nobody waits for %q", e.For)
	}
	p.asking = without(p.asking, i)
	n.state = Waiting
	return ""
}

func (p *Plan) waitEnded(i int, e *Event) string {
	n := &p.nodes[i]
	if e.For != ForRateLimit || n.state != Waiting || n.wait.what != ForRateLimit {
		return fmt.Sprintf("the TASK does not wait for %s", e.For)
	}
	n.state = Running
	p.enqueue(i)
	return ""
}

// Allows tells whether a command may be applied now; the reason is for people.
func (p *Plan) Allows(e Event) (reason string, ok bool) {
	if e.Verb == Stop {
		return "", true
	}
	i, ok := p.known(e.Task)
	if !ok {
		return fmt.Sprintf("there is no TASK %q in this run", e.Task), false
	}
	reason = p.refuse(&p.nodes[i], &e)
	return reason, reason == ""
}

func (p *Plan) refuse(n *node, e *Event) string {
	waits := n.state == Waiting && n.wait.what == ForApproval
	switch e.Verb {
	case Approve, Reject:
		if !waits {
			return fmt.Sprintf("%s does not wait for approval: it is %s", n.task.ID, n.state)
		}
	case RetryIt:
		if n.state != IsFailed {
			return fmt.Sprintf("%s is not FAILED: it is %s", n.task.ID, n.state)
		}
	case Skip:
		switch {
		case n.state == Running && (n.running || n.held || n.change != ""):
			return fmt.Sprintf("%s is being worked on", n.task.ID)
		case n.state == IsLanded, n.state == UpToDate, n.state == Skipped, n.state == Outside:
			return fmt.Sprintf("%s cannot be skipped: it is %s", n.task.ID, n.state)
		}
	default:
		return fmt.Sprintf("verb %q is unknown", e.Verb)
	}
	return ""
}

func (p *Plan) commanded(i int, e *Event) string {
	n := &p.nodes[i]
	if why := p.refuse(n, e); why != "" {
		return why
	}
	switch e.Verb {
	case Approve:
		n.approved, n.state, n.wait = true, Running, nil
		p.enqueue(i)
	case Reject:
		n.wait = nil
		f := &failure{stage: "approval", reason: "rejected: " + e.Reason}
		if e.From == Final {
			n.last = f
			n.failures++
			p.giveUp(i)
			return ""
		}
		p.fail(i, f)
	case RetryIt:
		p.retry(i, e)
	case Skip:
		p.leave(i)
		n.state, n.why, n.stacked, n.wait = Skipped, e.Reason, stacked{}, nil
		n.handoff = nil
		p.conclude(Event{Type: TaskSkipped, Task: n.task.ID, Reason: e.Reason})
		p.satisfy(i)
	}
	return ""
}

// Values of Event.From for commands.
const (
	Final        = "final"    // reject: the TASK is FAILED at once
	FromVerifier = "verifier" // retry: take the workspace as a person mended it
	FromClean    = "clean"    // retry: start from the branch's tip with nothing carried over
)

// retry grants a FAILED TASK another round of attempts; numbering goes on.
func (p *Plan) retry(i int, e *Event) {
	n := &p.nodes[i]
	p.failed--
	p.open++
	n.granted++
	n.failedIn, n.clashes = n.failures, 0
	n.state = Running
	switch {
	case e.From == FromClean || n.opened == "":
		p.rebuild(i, stages.Fresh)
		n.last = nil
	case e.From == FromVerifier && n.base == n.opened && n.last.conflict == nil:
		p.rebuild(i, stages.Keep)
		n.byHand = true
	default:
		p.rebuild(i, stages.Carry)
		n.fromBase, n.byHand = n.opened, e.From == FromVerifier
		if !n.byHand && n.snapshot != nil && n.base == n.opened && n.last.stage == string(dispatch.Verifier) {
			n.from, n.base = n.snapshot.Tree, "" // what a verifier left behind is not the builder's
		}
	}
}
