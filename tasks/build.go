package tasks

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dominikbraun/graph"
)

// place is where something was said in a folder.
type place struct {
	file      string
	line, col int
}

// problem makes an error or a warning at this place.
func (p place) problem(s Severity, format string, args ...any) Problem {
	return Problem{File: p.file, Line: p.line, Col: p.col, Severity: s, Message: fmt.Sprintf(format, args...)}
}

// NewGraph builds a graph from TASKs in memory, in any order. It reports every
// duplicate id, unknown dependency, self-dependency and cycle at once; the graph
// is nil if there is any. Ids must be canonical. The list is not kept or changed.
func NewGraph(list []Task) (*Graph, []Problem) {
	return build(list, func(task int, _ ID) place { return place{file: list[task].File} })
}

// build is NewGraph with the place at which the TASK at an index of the list
// names a dependency.
func build(list []Task, where func(task int, dep ID) place) (*Graph, []Problem) {
	vertices, byID, problems := distinct(list)

	// An error of the library can only mean a vertex or an edge added twice or
	// an unknown vertex; each is ruled out before. Its vertices count from 1,
	// because its strongly connected components are wrong for the zero value.
	g := graph.New(graph.IntHash, graph.Directed())
	for v := range vertices {
		_ = g.AddVertex(v + 1)
	}
	for v, at := range vertices {
		for _, dep := range sortedSet(list[at].Deps) {
			from, known := byID[dep]
			switch {
			case dep == list[at].ID:
				problems = append(problems, where(at, dep).problem(Error, "%s depends on itself: take %s out of its dependencies", dep, dep))
			case !known:
				problems = append(problems, where(at, dep).problem(Error,
					"%s depends on %s, which does not exist: add %s.md or take it out", list[at].ID, dep, dep))
			default:
				_ = g.AddEdge(from+1, v+1)
			}
		}
	}

	deps := predecessors(g, len(vertices))
	order := stableOrder(deps)
	if len(order) < len(vertices) {
		for _, cycle := range cycles(g, deps) {
			first, second := vertices[cycle[0]], vertices[cycle[1]]
			problems = append(problems, where(first, list[second].ID).problem(Error,
				"dependency cycle: %s; take one of these out", arrows(list, vertices, cycle)))
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return freeze(list, vertices, deps, order), nil
}

// distinct returns the list's indexes by number, the first one of each id only,
// and the vertex of each id.
func distinct(list []Task) (vertices []int, byID map[ID]int, problems []Problem) {
	numbers := make([]int, len(list))
	all := make([]int, len(list))
	for i := range list {
		numbers[i], all[i] = list[i].ID.Number(), i
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(numbers[a], numbers[b]) })
	vertices = make([]int, 0, len(list))
	byID = make(map[ID]int, len(list))
	for _, at := range all {
		t := &list[at]
		if id, ok := ParseID(string(t.ID)); !ok || id != t.ID {
			problems = append(problems, place{file: t.File}.problem(Error, "%q is not the canonical id of a TASK, such as TASK-03", t.ID))
			continue
		}
		if v, twice := byID[t.ID]; twice {
			problems = append(problems, place{file: t.File}.problem(Error,
				"%s is already %s: two files for one TASK; rename or remove one", t.ID, orUnnamed(list[vertices[v]].File)))
			continue
		}
		byID[t.ID] = len(vertices)
		vertices = append(vertices, at)
	}
	return vertices, byID, problems
}

func orUnnamed(file string) string {
	if file == "" {
		return "in the list"
	}
	return file
}

// sortedSet returns ids by number without repeats, in memory of its own.
func sortedSet(ids []ID) []ID {
	if len(ids) == 0 {
		return nil
	}
	ids = slices.Clone(ids)
	slices.SortFunc(ids, ID.Compare)
	return slices.Compact(ids)
}

// predecessors takes the dependencies of each vertex out of the library's
// graph, ascending. This is the one question it is asked about a sound graph:
// each further one would copy the whole graph.
func predecessors(g graph.Graph[int, int], n int) [][]int {
	before, _ := g.PredecessorMap()
	deps := make([][]int, n)
	for key, from := range before {
		if len(from) == 0 {
			continue
		}
		of := make([]int, 0, len(from))
		for d := range from {
			of = append(of, d-1)
		}
		slices.Sort(of)
		deps[key-1] = of
	}
	return deps
}

// freeze lays the TASKs out by their position in the order.
func freeze(list []Task, vertices []int, deps [][]int, order []int) *Graph {
	n := len(order)
	position := make([]int, n)
	for p, v := range order {
		position[v] = p
	}
	g := &Graph{
		tasks:      make([]Task, n),
		index:      make(map[ID]int, n),
		number:     make([]int, n),
		deps:       make([][]int, n),
		dependents: make([][]int, n),
	}
	for p, v := range order {
		t := list[vertices[v]]
		t.Deps = sortedSet(t.Deps)
		g.tasks[p], g.index[t.ID], g.number[p] = t, p, t.ID.Number()
		for i, d := range deps[v] {
			deps[v][i] = position[d]
		}
		slices.Sort(deps[v])
		g.deps[p] = deps[v]
		for _, d := range deps[v] {
			g.dependents[d] = append(g.dependents[d], p)
		}
	}
	return g
}
