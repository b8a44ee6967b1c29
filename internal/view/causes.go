package view

import (
	"slices"

	"github.com/taskpipeline/pipeline/tasks"
)

// Cause is a TASK that keeps another from starting, and is not itself kept from
// anything by a third.
type Cause struct {
	Task  tasks.ID   `json:"task"`
	Title string     `json:"title"`
	State Standing   `json:"state"`
	Why   string     `json:"why,omitempty"`
	Path  []tasks.ID `json:"path"` // from the TASK that waits to this one, each needing the next
}

// Causes are the root causes for which a TASK has not started, nearest first:
// what lies between is left out but for one path to each of them.
func (r *Record) Causes(id tasks.ID) []Cause {
	g := r.Plan.Graph()
	start, ok := g.Index(id)
	if !ok || r.Standing(id) != NotStarted {
		return nil
	}
	var causes []Cause
	from := map[int]int{start: start} // the TASK by which each was reached
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		missing := 0
		for _, d := range g.Deps(at) {
			if r.Standing(g.At(d).ID).satisfies() {
				continue
			}
			missing++
			if _, seen := from[d]; !seen {
				from[d] = at
				queue = append(queue, d)
			}
		}
		t := g.At(at)
		if s := r.Standing(t.ID); at != start && (s != NotStarted || missing == 0) {
			causes = append(causes, Cause{Task: t.ID, Title: t.Title, State: s, Why: r.Why(t.ID), Path: r.walk(from, at)})
		}
	}
	return causes
}

// walk is the way by which a search came to a TASK.
func (r *Record) walk(from map[int]int, at int) []tasks.ID {
	g := r.Plan.Graph()
	path := []tasks.ID{g.At(at).ID}
	for from[at] != at {
		at = from[at]
		path = append(path, g.At(at).ID)
	}
	slices.Reverse(path)
	return path
}
