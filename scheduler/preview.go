package scheduler

import (
	"time"

	"github.com/taskpipeline/pipeline/tasks"
)

// Preview is the record as it would stand once a run had begun: what r.Past
// holds and what opening the run adds, with r.Facts and r.Select taken into
// account. Nothing is recorded or performed.
func (r *Runner) Preview(g *tasks.Graph) ([]Event, error) {
	own := *r
	events := append([]Event(nil), r.Past...)
	own.Journal, own.Observe = nil, func(e Event) { events = append(events, e) }
	if own.Now == nil {
		own.Now = time.Now
	}
	u := &run{Runner: &own, plan: New(g)}
	err := u.open()
	return events, err
}
