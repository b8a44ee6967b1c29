package scheduler

import (
	"fmt"
	"maps"
	"slices"

	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// Facts are what the repository says, looked up once before a plan is made.
type Facts struct {
	// Results holds, for each TASK whose result.md on the target branch says
	// DONE, what else it says.
	Results map[tasks.ID]FoundResult
	// Contains reports whether the target branch contains a commit.
	Contains func(stages.Hash) bool
	// Committed says that a commit brings its TASK's result.md: where the branch
	// contains the one and not the other, the TASK was undone.
	Committed bool
}

// FoundResult is a DONE result.md on the target branch.
type FoundResult struct {
	Spec    string         // the spec hash it was made for; "" in older projects
	Handoff window.Handoff // builder's and verifier's, merged
}

// forced is why a TASK that is done runs again when it was asked for.
const forced = "forced"

// notOnBranch is why a TASK that landed is to be built again.
const notOnBranch = "its result.md is not on the branch any more"

// askedFor is why a TASK that a session had left out is taken in.
const askedFor = "asked for"

// Selection says which TASKs a run is about, and which to do again.
type Selection struct {
	Only       map[tasks.ID]bool // nil: all of them
	Force      map[tasks.ID]bool // run again although they are done
	Downstream bool              // dependents of what runs again run again too
	Kept       bool              // on joining: what the session was not asked for stays so
}

// Initially tells in which state each TASK of a graph enters a run, in the
// graph's order. A TASK is done when its result.md on the branch says DONE for
// its spec hash; a result.md without a hash is taken over as it stands; one for
// another hash makes the TASK stale.
func Initially(g *tasks.Graph, f Facts, sel Selection) []TaskSpec {
	out := make([]TaskSpec, g.Len())
	again := make([]bool, g.Len())
	for i := range out {
		t := g.At(i)
		s := specOf(t)
		r, found := f.Results[t.ID]
		switch {
		case sel.Force[t.ID]:
			s.State, s.Reason, s.Again = AsStale, forced, true
		case !found:
			s.State = AsNew
		case r.Spec == "":
			s.State, s.Reason = AsDone, "adopted: its result.md names no spec"
		case r.Spec != t.SpecHash:
			s.State, s.Reason = AsStale, "its spec or dependencies changed since it was done"
		default:
			s.State = AsDone
		}
		if s.State == AsDone && sel.Downstream {
			for _, d := range g.Deps(i) {
				if again[d] {
					s.State, s.Reason, s.Again = AsStale, fmt.Sprintf("%s, which it needs, runs again", g.At(d).ID), true
					break
				}
			}
		}
		again[i] = s.State == AsStale
		if s.State == AsDone {
			h := r.Handoff
			s.Handoff = &h
		} else if sel.Only != nil && !sel.Only[t.ID] {
			s.State, s.Reason, again[i] = AsLeft, "not asked for", false
		}
		out[i] = s
	}
	return out
}

func specOf(t *tasks.Task) TaskSpec {
	return TaskSpec{ID: t.ID, Title: t.Title, File: t.File, Deps: t.Deps, Hash: t.SpecHash, Locks: t.Locks, Approve: t.Approve}
}

// Reconcile compares a record with the tasks folder as it is now and with the
// repository, and returns the events that bring the record up to date, to be
// numbered, recorded and applied in this order before anything is planned:
// TASKs added, removed and changed, TASKs that are done on the branch, and
// candidates that had landed when the last run was cut off.
func Reconcile(p *Plan, past []Event, f Facts, sel Selection) []Event {
	recorded := map[tasks.ID]TaskSpec{}
	for i := range past {
		switch e := &past[i]; e.Type {
		case RunStarted:
			for _, s := range e.Tasks {
				recorded[s.ID] = s
			}
		case TaskRespecified:
			recorded[e.Spec.ID] = *e.Spec
		}
	}
	var out []Event
	say := func(s TaskSpec, reason string) {
		out = append(out, Event{Type: TaskRespecified, Task: s.ID, Spec: &s, Reason: reason, Found: true})
	}
	undone := map[int]bool{}
	for i, s := range Initially(p.graph, f, sel) {
		n := &p.nodes[i]
		old, known := recorded[s.ID]
		delete(recorded, s.ID)
		why := n.outdated(&s, known && !old.Removed, f.Results != nil)
		switch {
		case n.candidate != "" && f.Contains != nil && f.Contains(n.candidate):
			out = append(out, Event{Type: LandingFinished, Task: s.ID, Outcome: Landed, Commit: n.candidate, Found: true})
			if why = ""; f.Committed && s.State == AsNew {
				why = notOnBranch
			}
		case why == askedFor && sel.Kept:
			why = ""
		case why == "" && n.unfinished() && s.State != AsDone:
			why = p.groundless(i, undone)
		}
		if why != "" {
			undone[i] = why == notOnBranch
			say(s, why)
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(recorded), tasks.ID.Compare) {
		if s := recorded[id]; !s.Removed {
			s.Removed = true
			say(s, "removed")
		}
	}
	return out
}

// groundless tells why what a TASK has begun stands on nothing any more: a TASK
// that it needs was undone.
func (p *Plan) groundless(i int, undone map[int]bool) string {
	for _, d := range p.graph.Deps(i) {
		if undone[d] {
			return fmt.Sprintf("%s, which it needs, is not on the branch any more", p.graph.At(d).ID)
		}
	}
	return ""
}

// unfinished reports whether a TASK has been worked on and has not come to a good end.
func (n *node) unfinished() bool {
	return n.state == Running || n.state == Waiting || n.state == IsFailed
}

// outdated tells why a TASK cannot go on as the record left it, now that it
// stands as s says; "" if it can. What the branch says is only looked at if
// there is a branch.
func (n *node) outdated(s *TaskSpec, known, branch bool) string {
	done := n.state == IsLanded || n.state == UpToDate
	switch {
	case !known:
		return "added"
	case done && s.State == AsStale:
		return s.Reason
	case done && s.State == AsNew && branch:
		return notOnBranch
	case done:
		return ""
	case s.State == AsDone && n.doneAgain && n.hash == s.Hash:
		return "" // what the branch says was so before it was to run again
	case s.State == AsDone:
		return "done on the branch"
	case n.state == IsFailed && s.Again && s.Reason == forced:
		return forced
	case n.state == Outside && s.State != AsLeft:
		return askedFor
	case n.state == Pending && s.State == AsLeft:
		return s.Reason
	case s.State != AsLeft && n.hash != s.Hash:
		return "changed"
	}
	return ""
}
