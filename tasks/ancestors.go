package tasks

import (
	"cmp"
	"iter"
	"slices"
)

// Ancestors yields every TASK that id depends on, directly or not, with its
// distance: the length of the shortest dependency path, 1 for a direct
// dependency. Nearest come first, and those of one distance by number. A within
// above 0 leaves out what is farther away. It yields nothing for an unknown id.
// The cost is that of the ancestors yielded, whatever the size of the graph.
func (g *Graph) Ancestors(id ID, within int) iter.Seq2[ID, int] {
	return func(yield func(ID, int) bool) {
		start, ok := g.index[id]
		if !ok {
			return
		}
		seen := map[int]bool{start: true}
		level := []int{start}
		for distance := 1; len(level) > 0 && (within <= 0 || distance <= within); distance++ {
			var next []int
			for _, v := range level {
				for _, d := range g.deps[v] {
					if !seen[d] {
						seen[d] = true
						next = append(next, d)
					}
				}
			}
			slices.SortFunc(next, func(a, b int) int { return cmp.Compare(g.number[a], g.number[b]) })
			for _, v := range next {
				if !yield(g.tasks[v].ID, distance) {
					return
				}
			}
			level = next
		}
	}
}

// Path returns one shortest dependency path from a TASK to one of its ancestors,
// both included: each TASK depends directly on the next. It is always the same
// one for the same graph. It is nil when to is not an ancestor of from, and just
// that TASK when both are the same.
func (g *Graph) Path(from, to ID) []ID {
	start, ok := g.index[from]
	goal, known := g.index[to]
	if !ok || !known || goal > start {
		return nil
	}
	neededBy := map[int]int{start: start}
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		if v == goal {
			return g.trace(neededBy, goal)
		}
		for _, d := range g.deps[v] {
			// What stands before the goal in the order cannot depend on it.
			if _, seen := neededBy[d]; !seen && d >= goal {
				neededBy[d] = v
				queue = append(queue, d)
			}
		}
	}
	return nil
}

// trace follows a walk back from v to where it began and returns it forwards.
func (g *Graph) trace(neededBy map[int]int, v int) []ID {
	path := []ID{g.tasks[v].ID}
	for neededBy[v] != v {
		v = neededBy[v]
		path = append(path, g.tasks[v].ID)
	}
	slices.Reverse(path)
	return path
}

// Waves groups the TASKs by how early they can start: the first wave has no
// dependencies, and each TASK stands in the wave after the last of its
// dependencies. Ids ascend inside a wave.
func (g *Graph) Waves() [][]ID {
	var waves [][]ID
	wave := make([]int, len(g.tasks))
	for i := range g.tasks {
		for _, d := range g.deps[i] {
			wave[i] = max(wave[i], wave[d]+1)
		}
		if wave[i] == len(waves) {
			waves = append(waves, nil)
		}
		waves[wave[i]] = append(waves[wave[i]], g.tasks[i].ID)
	}
	for _, w := range waves {
		slices.SortFunc(w, ID.Compare)
	}
	return waves
}
