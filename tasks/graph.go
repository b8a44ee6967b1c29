package tasks

import (
	"iter"
	"slices"
)

// Graph is the immutable set of TASKs with their dependencies. A TASK's position
// is its place in the stable order, from 0. The zero value is an empty graph. All
// methods are safe for concurrent use.
type Graph struct {
	work, title string
	tasks       []Task
	index       map[ID]int
	number      []int   // of the TASK at each position
	deps        [][]int // positions, ascending
	dependents  [][]int // positions, ascending
}

// Work returns the name of the work: the id in PLAN.md's title, else the
// folder's name; "" for a graph that was not read from a folder.
func (g *Graph) Work() string { return g.work }

// Title returns the title of the work as PLAN.md has it, without its id; "" when
// there is none.
func (g *Graph) Title() string { return g.title }

// Len returns the number of TASKs.
func (g *Graph) Len() int { return len(g.tasks) }

// All yields the TASKs in the stable topological order: again and again the
// smallest number among those whose dependencies were all yielded.
func (g *Graph) All() iter.Seq[Task] { return slices.Values(g.tasks) }

// At returns the TASK at position i, which must be in [0, Len). It must not be
// changed.
func (g *Graph) At(i int) *Task { return &g.tasks[i] }

// Index returns the position of a TASK in the stable order.
func (g *Graph) Index(id ID) (int, bool) {
	i, ok := g.index[id]
	return i, ok
}

// Get returns the TASK of that canonical id.
func (g *Graph) Get(id ID) (Task, bool) {
	i, ok := g.index[id]
	if !ok {
		return Task{}, false
	}
	return g.tasks[i], true
}

// Deps returns the positions of the direct dependencies of the TASK at position
// i, ascending, each smaller than i. The slice must not be changed.
func (g *Graph) Deps(i int) []int { return g.deps[i] }

// Dependents returns the positions of the TASKs that directly depend on the TASK
// at position i, ascending, each greater than i. The slice must not be changed.
func (g *Graph) Dependents(i int) []int { return g.dependents[i] }
