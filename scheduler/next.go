package scheduler

import (
	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
)

// Next says what may be done now, given that jobs TASKs may hold a slot at
// once. Work under way is not repeated, except Land: there is one lander, and
// what it is to do is named until that is finished. A Halt stands
// alone and means that this run is over, or, after stop or with FailFast, that
// what is under way must be cut off.
//
// The cost is O(log V) for each action: the graph is never scanned.
func (p *Plan) Next(jobs int) []Action {
	if p.stopped {
		return []Action{{Kind: Halt, Verdict: Stopped}}
	}
	if p.opts.FailFast && p.failed > 0 {
		return []Action{{Kind: Halt, Verdict: SomeFailed}}
	}
	var out []Action
	for _, i := range p.asking {
		what := ForApproval
		if w := p.nodes[i].wait; w != nil && w.what == ForBlocked {
			what = ForBlocked
		}
		out = append(out, Action{Kind: RecordWait, Task: p.nodes[i].task.ID, For: what})
	}
	if a, ok := p.nextLanding(); ok {
		out = append(out, a)
	}
	for _, i := range p.going {
		out = append(out, p.stepAction(i))
	}
	for _, e := range p.startable(max(jobs, 1) - p.held) {
		out = append(out, p.stepAction(e.at))
	}
	if first, ok := p.firstWait(); ok {
		out = append(out, first)
	}
	if len(out) == 0 && p.running == 0 {
		out = append(out, Action{Kind: Halt, Verdict: p.verdict()})
	}
	return out
}

// startable are the TASKs that may take a slot now, best first. Two that share
// a lock are never named together.
func (p *Plan) startable(free int) []entry {
	if free <= 0 {
		return nil
	}
	taken := map[string]bool{}
	valid := func(e entry) bool { return p.nodes[e.at].queued == e.ticket }
	keep := func(e entry) bool {
		names := p.nodes[e.at].task.Locks
		for _, name := range names {
			if taken[name] {
				return false
			}
		}
		for _, name := range names {
			taken[name] = true
		}
		return true
	}
	if p.Halted() {
		return p.order.firstBegun(free, valid, keep)
	}
	return p.order.first(free, valid, keep)
}

// Halted reports whether no new TASK may start.
func (p *Plan) Halted() bool { return p.stopped || p.failed > 0 && !p.opts.KeepGoing }

func (p *Plan) firstWait() (Action, bool) {
	e, ok := p.waits.first(func(e waitEntry) bool {
		n := &p.nodes[e.at]
		return n.state == Waiting && n.wait.what == ForRateLimit && n.wait.until.Equal(e.until)
	})
	if !ok {
		return Action{}, false
	}
	return Action{Kind: Wait, Task: p.nodes[e.at].task.ID, For: ForRateLimit, Until: e.until}, true
}

func (p *Plan) stepAction(i int) Action {
	n := &p.nodes[i]
	a := Action{Kind: Execute, Task: n.task.ID, Step: n.step(), Lease: n.lease(), Interrupted: n.cut, ByHand: n.byHand && n.stage == dispatch.Builder}
	if n.wait != nil && n.wait.what.inStage() {
		a.Resume = n.wait.state
	}
	return a
}

// lease is the workspace in which a TASK's step is done.
func (n *node) lease() stages.Lease {
	l := stages.Lease{Task: n.task.ID, Base: n.base}
	switch {
	case n.wait != nil && n.wait.what.inStage(), n.cut && n.stage == dispatch.Builder:
		l.Mode = stages.Keep // the same send again, where it left off
	case n.change != "":
		l.Mode, l.Tree = stages.Exact, n.candidate // what is verified is what lands
	case n.stage == dispatch.Builder && (n.attempt == 1 || n.mode == stages.Fresh):
		l.Base, l.Mode = "", stages.Fresh
	case n.stage == dispatch.Builder && n.mode == stages.Carry && n.from != "":
		l.Mode, l.From, l.FromBase = stages.Carry, n.from, n.fromBase // whatever has become of the workspace
	case n.lost && n.snapshot != nil && !n.byHand:
		l.Mode, l.Tree = stages.Exact, n.snapshot.Tree
	case n.lost && !n.byHand:
		l.Base, l.Mode = "", stages.Fresh
	case n.stage == dispatch.Builder && n.mode == stages.Carry:
		l.Base, l.Mode, l.FromBase = "", stages.Carry, n.fromBase
	case n.stage == dispatch.Builder && n.last != nil && n.last.stage != string(dispatch.Builder) && !n.byHand:
		// What a verifier left behind is not the builder's.
		l.Mode, l.Tree = stages.Exact, n.snapshot.Tree
	case n.stage == dispatch.Builder || n.warm:
		l.Mode = stages.Keep
	default:
		l.Mode, l.Tree = stages.Exact, n.snapshot.Tree
	}
	return l
}
