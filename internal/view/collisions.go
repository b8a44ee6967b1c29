package view

import (
	"maps"
	"path"
	"slices"

	"github.com/taskpipeline/pipeline/tasks"
)

// Collision is a path that TASKs which may run at the same time both mean to
// touch: the one that lands second may have to be built again.
type Collision struct {
	Path  string     `json:"path"`
	Tasks []tasks.ID `json:"tasks"` // ascending
}

// most bounds the TASKs that are compared for one path.
const most = 64

// collisions compares what the TASKs that would run declare in `## Files`. Two
// of which one needs the other, or that share a lock, never run together.
func collisions(g *tasks.Graph, runs map[tasks.ID]bool) []Collision {
	declared := map[string][]*tasks.Task{}
	for i := range g.Len() {
		t := g.At(i)
		seen := map[string]bool{}
		for _, f := range t.Files {
			p := path.Clean(f.Path)
			if runs[t.ID] && !seen[p] && len(declared[p]) < most {
				seen[p] = true
				declared[p] = append(declared[p], t)
			}
		}
	}
	out := []Collision{}
	for _, p := range slices.Sorted(maps.Keys(declared)) {
		list := declared[p]
		var ids []tasks.ID
		for i, a := range list {
			if slices.ContainsFunc(list, func(b *tasks.Task) bool { return a != b && together(g, a, b) }) {
				ids = append(ids, list[i].ID)
			}
		}
		if len(ids) > 0 {
			slices.SortFunc(ids, tasks.ID.Compare)
			out = append(out, Collision{Path: p, Tasks: ids})
		}
	}
	return out
}

// together reports whether two TASKs may run at the same time.
func together(g *tasks.Graph, a, b *tasks.Task) bool {
	if slices.ContainsFunc(a.Locks, func(l string) bool { return slices.Contains(b.Locks, l) }) {
		return false
	}
	return g.Path(a.ID, b.ID) == nil && g.Path(b.ID, a.ID) == nil
}
