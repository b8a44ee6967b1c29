package scheduler

import (
	"cmp"
	"slices"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
)

// stacked is a TASK's place in the stack: the candidates that are about to
// land, in the order in which they were made. Each stands on the one before it
// and is verified there, several at once; the longest green prefix lands, one
// commit each. Only the first may land or fail. What those behind it were told
// about a tree that will not come to be does not count: they are put on the
// stack anew.
type stacked struct {
	change     stages.Hash // the attempt's first candidate: what the TASK itself changes, whatever it is put on
	changeBase stages.Hash // its parent
	candidate  stages.Hash // what will land, "" while it is to be made
	verified   bool        // the candidate's tree has passed the verifier
	astray     bool        // what it stands on will not land
	red        *failure    // on a tree that holds candidates before it: theirs, if they fail too
	unfit      stages.Hash // candidate before it that it collides with
	merged     bool        // git merged files that both sides had changed
	ticket     int         // its place, 0 if it is not in the stack
}

// stackUp puts a TASK at the end of the stack. It keeps a place that it has.
func (p *Plan) stackUp(i int) {
	n := &p.nodes[i]
	if n.ticket == 0 {
		p.tickets++
		n.ticket = p.tickets
		if n.held {
			p.makeWay()
		}
	}
	if !slices.Contains(p.stack, i) {
		p.stack = append(p.stack, i)
	}
}

// makeWay takes those out of the stack that wait for a slot, before one joins it
// that has a slot: they would wait for it, and it for them.
func (p *Plan) makeWay() {
	for _, i := range slices.Clone(p.stack) {
		if n := &p.nodes[i]; !n.held && n.todo() {
			p.unstack(i)
			n.queued = 0
			p.line(i)
		}
	}
}

// sortStack brings the stack of an earlier run into its order.
func (p *Plan) sortStack() {
	slices.SortFunc(p.stack, func(a, b int) int { return cmp.Compare(p.nodes[a].ticket, p.nodes[b].ticket) })
}

// unstack takes out of the stack what will not land from there.
func (p *Plan) unstack(i int) {
	p.nodes[i].ticket = 0
	if k := slices.Index(p.stack, i); k >= 0 {
		p.doubt(k + 1)
		p.stack = slices.Delete(p.stack, k, k+1)
	}
	p.settle()
}

// doubt voids the failures from place k on, and what has not been begun there:
// it is about candidates that will not land.
func (p *Plan) doubt(k int) {
	for _, i := range p.stack[k:] {
		n := &p.nodes[i]
		if n.red != nil || !n.running && n.todo() {
			n.red, n.astray, n.queued = nil, true, 0
			p.going = without(p.going, i)
			if !n.held {
				p.pass(i)
			}
		}
	}
}

// settle lets the first of the stack fail, if it is red on the branch itself.
func (p *Plan) settle() {
	if len(p.stack) == 0 {
		return
	}
	i := p.stack[0]
	n := &p.nodes[i]
	switch {
	case n.red == nil:
	case n.base != p.tip:
		n.red, n.astray = nil, true
	default:
		p.fail(i, n.red)
	}
}

// idle reports whether a TASK in the stack has no step to do.
func (n *node) idle() bool { return n.change != "" && !n.running && n.red == nil && !n.todo() }

// todo reports whether a TASK has a step to do.
func (n *node) todo() bool {
	switch {
	case n.change == "":
		return !n.needsApproval()
	case n.red != nil || n.astray:
		return false
	}
	return n.stage == dispatch.Committer && n.candidate == "" || n.stage == dispatch.Verifier && !n.verified
}

// nextLanding is what the lander is to do next: land the first of the stack, or
// put one of the others on the candidate before it, once that one stands where
// it will land.
func (p *Plan) nextLanding() (Action, bool) {
	var below *node
	for _, i := range p.stack {
		n := &p.nodes[i]
		switch {
		case below == nil:
			if n.idle() {
				return n.landing(nil), true
			}
			if n.base != p.tip {
				return Action{}, false
			}
		case n.idle() && n.unfit != below.candidate && (n.astray || n.base != below.candidate):
			return n.landing(below), true
		case n.base != below.candidate:
			return Action{}, false
		}
		if n.candidate == "" || n.red != nil {
			return Action{}, false
		}
		below = n
	}
	return Action{}, false
}

// landing asks for a TASK to be put on the candidate below it, or on the branch.
func (n *node) landing(below *node) Action {
	l := stages.Landing{
		Task: n.task.ID, Candidate: n.candidate, Base: n.base, Unverified: n.astray,
		Change: n.change, ChangeBase: n.changeBase,
	}
	if below != nil {
		l.Onto, l.Below = below.candidate, below.task.ID
	}
	return Action{Kind: Land, Task: n.task.ID, Landing: l}
}
