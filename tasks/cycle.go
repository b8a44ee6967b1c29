package tasks

import (
	"slices"
	"strings"

	"github.com/dominikbraun/graph"
)

// maxArrows bounds how much of one cycle a message shows.
const maxArrows = 20

// cycles returns one cycle of each strongly connected component: a shortest one
// through the component's smallest vertex, starting there, each vertex followed
// by one that it needs. Components come by their smallest vertex.
func cycles(g graph.Graph[int, int], deps [][]int) [][]int {
	components, _ := graph.StronglyConnectedComponents(g)
	var found [][]int
	for _, c := range components {
		if len(c) > 1 {
			for i := range c {
				c[i]-- // the library's count from 1
			}
			found = append(found, shortestCycle(slices.Min(c), c, deps))
		}
	}
	slices.SortFunc(found, func(a, b []int) int { return a[0] - b[0] })
	return found
}

// shortestCycle walks the dependencies from start, inside its component, until
// it is back.
func shortestCycle(start int, component []int, deps [][]int) []int {
	inside := make(map[int]bool, len(component))
	for _, v := range component {
		inside[v] = true
	}
	neededBy := map[int]int{}
	queue := []int{start}
	for {
		v := queue[0]
		queue = queue[1:]
		for _, d := range deps[v] {
			if d == start {
				cycle := []int{v}
				for v != start {
					v = neededBy[v]
					cycle = append(cycle, v)
				}
				slices.Reverse(cycle)
				return cycle
			}
			if _, seen := neededBy[d]; !seen && inside[d] {
				neededBy[d] = v
				queue = append(queue, d)
			}
		}
	}
}

// arrows writes a cycle as "TASK-01 → TASK-03 → TASK-01", each needing the next.
func arrows(list []Task, vertices, cycle []int) string {
	var b strings.Builder
	for i, v := range cycle {
		if i == maxArrows {
			b.WriteString("… → ")
			break
		}
		b.WriteString(string(list[vertices[v]].ID) + " → ")
	}
	b.WriteString(string(list[vertices[cycle[0]]].ID))
	return b.String()
}
