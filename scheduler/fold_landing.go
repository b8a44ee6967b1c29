package scheduler

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
)

func (p *Plan) landingFinished(i int, e *Event) string {
	n := &p.nodes[i]
	if n.change == "" || n.running || n.state != Running && n.state != Waiting {
		return "the TASK has no candidate to land"
	}
	switch e.Outcome {
	case Landed:
		if !e.Found && (!n.idle() || n.astray || e.Commit != n.candidate) {
			return "what is said to have landed is not its verified candidate"
		}
		p.tip = e.Commit
		p.behind = append(p.behind, e.Paths...)
		p.conclude(Event{Type: TaskLanded, Task: n.task.ID, Commit: e.Commit, Base: n.base, Tree: e.Tree})
		p.land(i, e.Commit)
	case Moved:
		p.moved(i, e)
	case Conflict:
		p.clash(i, e)
	case Unfit:
		n.unfit = e.Onto
	case Blocked:
		p.freeSlot(i)
		p.freeLocks(i)
		n.wait = &waiting{what: ForBlocked, paths: e.Paths}
		p.asking = append(p.asking, i)
		p.unstack(i)
	default:
		return fmt.Sprintf("outcome %q is unknown", e.Outcome)
	}
	return ""
}

// moved puts a TASK on another base: the branch's tip, or the candidate below
// it. The committer makes a candidate of it there, whose tree is then verified.
func (p *Plan) moved(i int, e *Event) {
	n := &p.nodes[i]
	switch {
	case e.With == "":
		p.tip = e.Onto
	case !p.willStandOn(i, e.Onto):
		n.astray = true // meanwhile the candidate below it has gone
		return
	}
	n.round++
	n.stage, n.candidate, n.verified, n.astray, n.merged = dispatch.Committer, "", false, false, len(e.Paths) > 0
	s := *n.snapshot
	n.base, n.at, s.Tree = e.Onto, e.Time, e.Tree
	if e.Snapshot != nil {
		s.Changes = e.Snapshot.Changes // claims are held against the new base
	}
	n.snapshot = &s
	if k := slices.Index(p.stack, i); k >= 0 {
		p.doubt(k + 1)
	}
	if !n.held {
		p.unstack(i) // nobody in the stack waits for a slot that those behind it hold
	}
	p.enqueue(i)
}

// willStandOn reports whether a commit is what a TASK of the stack is to stand on.
func (p *Plan) willStandOn(i int, commit stages.Hash) bool {
	k := slices.Index(p.stack, i)
	if k <= 0 {
		return commit == p.tip
	}
	return commit == p.nodes[p.stack[k-1]].candidate
}

// clash sends a TASK whose candidate does not merge back to its builder, on
// the new base. That is a new attempt, but not a used-up one.
func (p *Plan) clash(i int, e *Event) {
	n := &p.nodes[i]
	p.tip = e.Onto
	n.clashes++
	n.last = &failure{
		stage:    "landing",
		reason:   "conflict with " + e.With + ": " + strings.Join(e.Paths, ", "),
		conflict: &dispatch.Conflict{With: e.With, Files: e.Paths},
	}
	if n.clashes >= maxConflicts {
		p.giveUp(i)
		return
	}
	from, fromBase := n.change, n.changeBase
	p.rebuild(i, stages.Carry)
	n.from, n.fromBase, n.base = from, fromBase, e.Onto
}
