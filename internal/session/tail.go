package session

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
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
		var end, seq int64
		for {
			if !s.since(&end, &seq, yield) {
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

// since yields the whole lines after end, moving end and seq along; false means
// that no more is wanted. The file is opened anew each time: what matters is
// the name, and a torn line that is being cut off lies behind end.
func (s *Session) since(end, seq *int64, yield func(scheduler.Event, error) bool) bool {
	f, err := os.Open(s.EventsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil {
		yield(scheduler.Event{}, err)
		return false
	}
	defer f.Close()
	if _, err := f.Seek(*end, io.SeekStart); err != nil {
		yield(scheduler.Event{}, err)
		return false
	}
	r := newReader(f, f.Name())
	r.end, r.seq = *end, *seq
	for {
		e, err := r.next()
		if err == io.EOF {
			return true
		}
		*end, *seq = r.end, r.seq
		if !yield(e, err) || err != nil {
			return false
		}
	}
}
