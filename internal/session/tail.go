package session

import (
	"context"
	"iter"
	"time"

	"github.com/taskpipeline/pipeline/scheduler"
)

// followEvery is how often a followed record is looked at.
const followEvery = 200 * time.Millisecond

// Follow yields the events of a record from the first, and those that a live
// run adds, until ctx ends (then it stops without an error) or a line cannot be
// read. It takes no lock and waits for a record that is not there yet.
func (s *Session) Follow(ctx context.Context) iter.Seq2[scheduler.Event, error] {
	return func(yield func(scheduler.Event, error) bool) {
		tick := time.NewTicker(followEvery)
		defer tick.Stop()
		var at Position
		for {
			if !s.since(&at, yield) {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}
}

// since yields the whole lines behind at and moves it along; false means that no
// more is wanted. The file is opened anew each time: what matters is the name,
// and a torn line that is being cut off lies behind at.
func (s *Session) since(at *Position, yield func(scheduler.Event, error) bool) bool {
	for line, err := range s.After(*at) {
		if err == nil {
			*at = line.At
		}
		if !yield(line.Event, err) || err != nil {
			return false
		}
	}
	return true
}
