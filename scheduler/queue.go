package scheduler

import "github.com/taskpipeline/pipeline/dispatch"

// enqueue puts a TASK where Next will find it: in the stack if it has a place
// there or needs no slot for it, among those that go on in their slot, or in
// the ready queue unless a lock is in the way.
func (p *Plan) enqueue(i int) {
	n := &p.nodes[i]
	if n.change != "" && (n.ticket != 0 || n.held || !n.todo()) {
		p.stackUp(i)
	}
	switch {
	case !n.todo():
	case n.held:
		p.going = append(p.going, i)
	default:
		p.line(i)
	}
}

// line puts a TASK that needs a slot into the ready queue, or parks it at the
// first of its locks that is held.
func (p *Plan) line(i int) {
	n := &p.nodes[i]
	if name, ok := p.locks.free(i, n.task.Locks); !ok {
		n.queued = 0
		p.locks.park(i, n.begun, name)
		if n.ticket != 0 {
			p.unstack(i) // nobody in the stack waits for a lock that one behind it may hold
		}
		return
	}
	p.locks.line(i, n.task.Locks)
	n.queued = p.order.add(n.class(), n.rank(i), i)
}

// rank orders TASKs of one class: by their place in the stack, else by that in
// the graph.
func (n *node) rank(i int) int {
	if n.ticket != 0 {
		return n.ticket
	}
	return i
}

func (n *node) class() class {
	switch {
	case n.ticket != 0:
		return toLand
	case !n.begun:
		return toBegin
	case n.stage == dispatch.Committer:
		return toCommit
	case n.stage == dispatch.Verifier:
		return toVerify
	}
	return toBuild
}

// wants reports whether a TASK would start or go on if it had a slot.
func (n *node) wants() bool {
	return !n.held && !n.running && n.todo() &&
		(n.state == Pending && n.unmet == 0 || n.state == Running)
}

// hold gives a TASK its slot and its locks; others in line for them are parked.
func (p *Plan) hold(i int) {
	n := &p.nodes[i]
	n.queued = 0
	if !n.held {
		n.held = true
		p.held++
	}
	p.locks.take(i, n.task.Locks)
	for _, name := range n.task.Locks {
		for _, other := range p.locks.inLine[name] {
			if o := &p.nodes[other]; other != i && o.queued != 0 {
				o.queued = 0
				p.locks.park(other, o.begun, name)
				p.pass(other)
				if o.ticket != 0 {
					p.unstack(other)
				}
			}
		}
		delete(p.locks.inLine, name)
	}
}

// pass gives the turn of a TASK that has left the ready queue, or will never
// come to it, to the next in line for each of its locks that is free.
func (p *Plan) pass(i int) {
	for _, name := range p.nodes[i].task.Locks {
		if _, held := p.locks.holder[name]; !held {
			p.wake(name)
		}
	}
}

// freeSlot takes a TASK's slot away; freeLocks its locks.
func (p *Plan) freeSlot(i int) {
	if n := &p.nodes[i]; n.held {
		n.held = false
		p.held--
	}
}

func (p *Plan) freeLocks(i int) {
	for _, name := range p.locks.release(i, p.nodes[i].task.Locks) {
		p.wake(name)
	}
}

// wake brings the first TASK parked for a free lock that can use it into the
// ready queue. One whose other lock is held is parked there instead.
func (p *Plan) wake(name string) {
	for {
		i, ok := p.locks.next(name)
		if !ok {
			return
		}
		if n := &p.nodes[i]; !n.wants() || n.queued != 0 {
			continue
		}
		p.line(i)
		if p.nodes[i].queued != 0 {
			return
		}
	}
}

// unqueue takes a TASK out of every queue.
func (p *Plan) unqueue(i int) {
	p.nodes[i].queued = 0
	p.going = without(p.going, i)
	p.asking = without(p.asking, i)
	p.unstack(i)
}

func without(list []int, i int) []int {
	for k, v := range list {
		if v == i {
			return append(list[:k:k], list[k+1:]...)
		}
	}
	return list
}
