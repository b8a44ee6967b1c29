package scheduler

import (
	"container/heap"
	"time"
)

// minWait is the shortest a rate-limited step waits, whatever its executor
// asks for: a wait that is over at once would be a busy loop.
const minWait = time.Second

// waitQueue holds the rate-limited TASKs, the one whose wait ends first on
// top. An entry is stale once its TASK does not wait until then any more.
type waitQueue []waitEntry

type waitEntry struct {
	until time.Time
	at    int // position in the graph's order
}

func (q waitQueue) Len() int { return len(q) }
func (q waitQueue) Less(i, j int) bool {
	if !q[i].until.Equal(q[j].until) {
		return q[i].until.Before(q[j].until)
	}
	return q[i].at < q[j].at
}
func (q waitQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *waitQueue) Push(x any)   { *q = append(*q, x.(waitEntry)) }
func (q *waitQueue) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	*q = (*q)[:last]
	return e
}

// first is the TASK whose wait ends first; valid tells stale entries, which
// are dropped.
func (q *waitQueue) first(valid func(waitEntry) bool) (waitEntry, bool) {
	for len(*q) > 0 {
		if e := (*q)[0]; valid(e) {
			return e, true
		}
		heap.Pop(q)
	}
	return waitEntry{}, false
}
