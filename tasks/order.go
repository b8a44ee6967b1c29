package tasks

import "container/heap"

// ready is a heap of vertices; vertices are numbered in the order of the ids.
type ready []int

func (r ready) Len() int           { return len(r) }
func (r ready) Less(i, j int) bool { return r[i] < r[j] }
func (r ready) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *ready) Push(v any)        { *r = append(*r, v.(int)) }
func (r *ready) Pop() any {
	old := *r
	v := old[len(old)-1]
	*r = old[:len(old)-1]
	return v
}

// stableOrder takes again and again the smallest vertex whose dependencies were
// all taken. The result is shorter than deps when there is a cycle.
func stableOrder(deps [][]int) []int {
	missing := make([]int, len(deps))
	after := make([][]int, len(deps))
	var free ready
	for v, from := range deps {
		missing[v] = len(from)
		if len(from) == 0 {
			free = append(free, v) // ascending, so already a heap
		}
		for _, d := range from {
			after[d] = append(after[d], v)
		}
	}
	order := make([]int, 0, len(deps))
	for len(free) > 0 {
		v := heap.Pop(&free).(int)
		order = append(order, v)
		for _, next := range after[v] {
			if missing[next]--; missing[next] == 0 {
				heap.Push(&free, next)
			}
		}
	}
	return order
}
