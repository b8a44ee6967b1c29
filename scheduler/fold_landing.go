package scheduler

import (
	"fmt"
	"strings"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
)

func (p *Plan) landingFinished(i int, e *Event) string {
	n := &p.nodes[i]
	if n.candidate == "" || n.state != Running && n.state != Waiting {
		return "the TASK has no candidate to land"
	}
	switch e.Outcome {
	case Landed:
		p.behind = append(p.behind, e.Paths...)
		p.conclude(Event{Type: TaskLanded, Task: n.task.ID, Commit: e.Commit, Base: n.base, Tree: e.Tree})
		p.land(i, e.Commit)
	case Moved:
		p.landing = without(p.landing, i)
		n.moves++
		n.round++
		n.stage, n.candidate, n.warm = dispatch.Verifier, "", false
		s := *n.snapshot
		n.base, s.Tree = e.Onto, e.Tree
		if e.Snapshot != nil {
			s.Changes = e.Snapshot.Changes // claims are held against the new base
		}
		n.snapshot = &s
		if n.moves >= holdAfterMoves && p.holder < 0 {
			p.holder = i
		}
		p.enqueue(i)
	case Conflict:
		p.clash(i, e)
	case Blocked:
		p.landing = without(p.landing, i)
		p.freeSlot(i)
		p.freeLocks(i)
		n.wait = &waiting{what: ForBlocked, paths: e.Paths}
		p.asking = append(p.asking, i)
	default:
		return fmt.Sprintf("outcome %q is unknown", e.Outcome)
	}
	return ""
}

// clash sends a TASK whose candidate does not merge back to its builder, on
// the new base. That is a new attempt, but not a used-up one.
func (p *Plan) clash(i int, e *Event) {
	n := &p.nodes[i]
	p.landing = without(p.landing, i)
	n.clashes++
	n.last = &failure{
		stage:    "landing",
		reason:   "conflict with " + e.With + ": " + strings.Join(e.Paths, ", "),
		conflict: &dispatch.Conflict{With: e.With, Files: e.Paths},
		carried:  n.candidate,
	}
	if n.clashes >= maxConflicts {
		p.giveUp(i)
		return
	}
	from, fromBase := n.candidate, n.base
	p.rebuild(i, stages.Carry)
	n.from, n.fromBase, n.base = from, fromBase, e.Onto
}
