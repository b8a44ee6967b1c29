package scheduler

import "container/heap"

// class orders the work that needs a slot: begun TASKs first, the nearest to
// their end before the others, then new ones.
type class int8

const (
	toLand class = iota
	toCommit
	toVerify
	toBuild
	toBegin
)

// entry is one TASK in the ready queue. It is stale, and ignored, once the
// node carries another ticket.
type entry struct {
	class  class
	rank   int // within the class
	at     int // position in the graph's order
	ticket int
}

// ready is a queue of TASKs that wait for nothing but a slot, by class and
// then by rank.
type ready struct {
	heap   entries
	ticket int
}

type entries []entry

func (h entries) Len() int { return len(h) }
func (h entries) Less(i, j int) bool {
	if h[i].class != h[j].class {
		return h[i].class < h[j].class
	}
	return h[i].rank < h[j].rank
}
func (h entries) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *entries) Push(x any)   { *h = append(*h, x.(entry)) }
func (h *entries) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	*h = (*h)[:last]
	return e
}

// add queues a TASK and returns its ticket.
func (r *ready) add(c class, rank, at int) int {
	r.ticket++
	heap.Push(&r.heap, entry{c, rank, at, r.ticket})
	return r.ticket
}

// first yields up to limit entries in order for which keep holds. Entries that
// are not valid any more are dropped on the way; all others stay queued.
func (r *ready) first(limit int, valid, keep func(entry) bool) []entry {
	return r.take(limit, toBegin, valid, keep)
}

// firstBegun is first without the TASKs that have not begun.
func (r *ready) firstBegun(limit int, valid, keep func(entry) bool) []entry {
	return r.take(limit, toBuild, valid, keep)
}

func (r *ready) take(limit int, last class, valid, keep func(entry) bool) []entry {
	var out, back []entry
	for len(out) < limit && len(r.heap) > 0 && r.heap[0].class <= last {
		e := heap.Pop(&r.heap).(entry)
		if !valid(e) {
			continue
		}
		back = append(back, e)
		if keep(e) {
			out = append(out, e)
		}
	}
	for _, e := range back {
		heap.Push(&r.heap, e)
	}
	return out
}
