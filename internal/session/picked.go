package session

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"

	"github.com/taskpipeline/pipeline/scheduler"
)

// Picked yields the events of those lines that pick says yes to. The others are
// not decoded, nor is it looked at whether they hold: most of a record can be
// passed by for the price of reading it.
func (s *Session) Picked(pick func(line []byte) bool) iter.Seq2[scheduler.Event, error] {
	return func(yield func(scheduler.Event, error) bool) {
		f, err := os.Open(s.EventsFile())
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(scheduler.Event{}, err)
			return
		}
		defer f.Close()
		for r := newReader(f, f.Name()); ; r.seq++ {
			line, err := r.line()
			if err == io.EOF {
				return
			}
			var e scheduler.Event
			if err == nil {
				if !pick(line) {
					continue
				}
				if e, err = decode(line[:len(line)-1]); err != nil {
					err = r.bad(err)
				}
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}
