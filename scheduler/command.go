package scheduler

import (
	"errors"
	"time"

	"github.com/taskpipeline/pipeline/tasks"
)

// RefusedError says why a command makes no sense as things stand.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return e.Reason }

// Obey returns the events that a command adds to a record when no run is
// alive: the command itself and what follows from it, numbered.
func Obey(past []Event, command Event, now time.Time) ([]Event, error) {
	p, err := Replay(nil, past)
	if err != nil {
		return nil, err
	}
	if !p.started {
		return nil, errors.New("the record holds no run")
	}
	command.Type = Command
	if why, ok := p.Allows(command); !ok {
		return nil, &RefusedError{why}
	}
	var out []Event
	for next := []Event{command}; len(next) > 0; next = p.Conclusions() {
		e := next[0]
		e.V, e.Seq, e.Time = Version, p.seq+1, now.UTC().Round(0)
		if err := p.Apply(e); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// known reports whether a TASK belongs to this run.
func (p *Plan) known(id tasks.ID) (int, bool) {
	i, ok := p.graph.Index(id)
	return i, ok && p.nodes[i].state != Outside
}
