package scheduler

import (
	"time"

	"github.com/taskpipeline/pipeline/tasks"
)

// Preview is the record as it would stand once a run had begun: what r.Past
// holds and what opening the run adds, with r.Facts and r.Select taken into
// account. Nothing is recorded or performed.
func (r *Runner) Preview(g *tasks.Graph) ([]Event, error) {
	events := append([]Event(nil), r.Past...)
	_, err := r.rehearse(g, func(e Event) { events = append(events, e) })
	return events, err
}

// Check finds out, before anything is recorded, whether an executor stands
// ready for every stage to come. Run does so too.
func (r *Runner) Check(g *tasks.Graph) error {
	u, err := r.rehearse(g, nil)
	if err != nil {
		return err
	}
	return u.lookUp()
}

// rehearse opens a run without a journal.
func (r *Runner) rehearse(g *tasks.Graph, observe func(Event)) (*run, error) {
	own := *r
	own.Journal, own.Observe = nil, observe
	if own.Now == nil {
		own.Now = time.Now
	}
	u := &run{Runner: &own, plan: New(g)}
	return u, u.open()
}
