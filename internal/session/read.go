package session

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"

	"github.com/taskpipeline/pipeline/scheduler"
)

// RecordError is a line of a record that cannot be read. Nothing is repaired:
// the file is left as it is.
type RecordError struct {
	File string // path of the events.jsonl
	Line int    // from 1
	Err  error
}

func (e *RecordError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap is the reason.
func (e *RecordError) Unwrap() error { return e.Err }

// Events yields the events of a session's record in order. A session without a
// record has none; a torn last line is left out. After an error, which is a
// *RecordError unless the file could not be read, nothing more is yielded.
func (s *Session) Events() iter.Seq2[scheduler.Event, error] {
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
		r := newReader(f, f.Name())
		for {
			e, err := r.next()
			if err == io.EOF {
				return
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Read is all of Events at once.
func (s *Session) Read() ([]scheduler.Event, error) {
	var all []scheduler.Event
	for e, err := range s.Events() {
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// reader reads whole lines and checks their numbering.
type reader struct {
	in   *bufio.Reader
	file string
	seq  int64 // of the last event, which is the number of its line
	end  int64 // bytes up to and with the last whole line
	long []byte
}

func newReader(r io.Reader, file string) *reader {
	return &reader{in: bufio.NewReaderSize(r, 256<<10), file: file}
}

// next is the next event, or io.EOF at the end or before a torn line.
func (r *reader) next() (scheduler.Event, error) {
	line, err := r.line()
	if err != nil {
		return scheduler.Event{}, err
	}
	e, err := decode(line[:len(line)-1])
	if err != nil {
		return scheduler.Event{}, r.bad(err)
	}
	if e.Seq != r.seq+1 {
		return scheduler.Event{}, r.bad(fmt.Errorf("seq %d where %d was expected: a line is missing, doubled or moved", e.Seq, r.seq+1))
	}
	r.seq++
	r.end += int64(len(line))
	return e, nil
}

func (r *reader) line() ([]byte, error) {
	r.long = r.long[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		if len(r.long)+len(part) > MaxLine {
			return nil, r.bad(fmt.Errorf("longer than %d bytes", MaxLine))
		}
		if err == nil && len(r.long) == 0 {
			return part, nil
		}
		r.long = append(r.long, part...)
		if err != bufio.ErrBufferFull {
			return r.long, err
		}
	}
}

func (r *reader) bad(err error) error {
	return &RecordError{File: r.file, Line: int(r.seq) + 1, Err: err}
}
