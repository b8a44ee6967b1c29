package view

import (
	"fmt"

	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// Forecast is what a run would do, if every stage passed.
type Forecast struct {
	Session         string      `json:"session,omitempty"` // that it would go on with
	Work            string      `json:"work"`
	Title           string      `json:"title,omitempty"`
	Branch          string      `json:"branch,omitempty"`
	Jobs            int         `json:"jobs"`  // TASKs at once
	Waves           [][]Planned `json:"waves"` // those of one wave need none of each other
	Kept            []Planned   `json:"not_run"`
	Collisions      []Collision `json:"predicted_conflicts"`
	Reverifications int         `json:"reverifications"` // to expect, if all stages take equally long
	Next            []Advice    `json:"next"`
}

// Planned is one TASK of a Forecast.
type Planned struct {
	Task    tasks.ID   `json:"task"`
	Title   string     `json:"title"`
	State   Standing   `json:"state"`             // as it is now
	Why     string     `json:"why"`               // why it would run, or not
	Needs   []tasks.ID `json:"needs"`             // of its dependencies, those that would run before it
	Approve bool       `json:"approve,omitempty"` // waits for a person before it lands
	Locks   []string   `json:"locks,omitempty"`
}

// Predict tells what a run would do that begins after the given events: for a
// new session, one run_started with the TASKs as scheduler.Initially has them.
// The tip is the commit that the target branch points at.
func Predict(g *tasks.Graph, events []scheduler.Event, jobs int, tip stages.Hash) (Forecast, error) {
	r, err := Fold(g, events)
	if err != nil {
		return Forecast{}, err
	}
	jobs = max(jobs, 1)
	played, err := rehearse(g, events, jobs, tip)
	if err != nil {
		return Forecast{}, err
	}
	run := r.Plan.Run()
	f := Forecast{
		Session: run.Session, Work: run.Work, Title: run.Title, Branch: run.Branch, Jobs: jobs,
		Waves: [][]Planned{}, Kept: []Planned{}, Collisions: collisions(g, played.ran), Reverifications: played.reverified,
	}
	wave := make([]int, g.Len())
	for i := range g.Len() {
		t := g.At(i)
		p := Planned{Task: t.ID, Title: t.Title, State: r.Standing(t.ID), Approve: t.Approve, Locks: t.Locks, Needs: []tasks.ID{}}
		if !played.ran[t.ID] {
			p.Why = r.Why(t.ID)
			f.Kept = append(f.Kept, p)
			continue
		}
		for _, d := range g.Deps(i) {
			if id := g.At(d).ID; played.ran[id] {
				wave[i] = max(wave[i], wave[d]+1)
				p.Needs = append(p.Needs, id)
			}
		}
		p.Why = r.whyRun(t.ID)
		for len(f.Waves) <= wave[i] {
			f.Waves = append(f.Waves, nil)
		}
		f.Waves[wave[i]] = append(f.Waves[wave[i]], p)
	}
	f.Next = f.next(r, run.Folder)
	return f, nil
}

// whyRun says why a TASK would run.
func (r *Record) whyRun(id tasks.ID) string {
	s := r.Plan.State(id)
	switch {
	case s.State == scheduler.Waiting:
		return "waiting " + waitingFor(s)
	case s.State == scheduler.Running:
		return "goes on: " + interruptedAt(s)
	case s.Initial == scheduler.AsStale:
		return "stale: " + s.Why
	case s.Failures > 0:
		return fmt.Sprintf("again: %s", s.Reason)
	}
	return "new"
}

func (f *Forecast) next(r *Record, folder string) []Advice {
	switch {
	case len(f.Waves) == 0:
		return r.Next()
	case f.Session != "":
		return []Advice{{"pipeline resume " + f.Session, "do it"}}
	case folder != "" && folder != "tasks":
		return []Advice{{"pipeline run " + quoted(folder), "do it"}}
	}
	return []Advice{{"pipeline run", "do it"}}
}
