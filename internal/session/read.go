package session

import (
	"bufio"
	"bytes"
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
	Line int    // from 1; 0 for the file as a whole
	Err  error
}

func (e *RecordError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}

// Unwrap is the reason.
func (e *RecordError) Unwrap() error { return e.Err }

// Events yields the events of a session's record in order. A session without a
// record has none; a torn last line is left out. After an error, which is a
// *RecordError unless the file could not be read, nothing more is yielded.
func (s *Session) Events() iter.Seq2[scheduler.Event, error] {
	return func(yield func(scheduler.Event, error) bool) {
		for line, err := range s.After(Position{}) {
			if !yield(line.Event, err) {
				return
			}
		}
	}
}

// Position is a place in a record: behind the event Seq, End bytes from its
// start.
type Position struct{ Seq, End int64 }

// Line is an event as it stands in its record.
type Line struct {
	scheduler.Event
	Raw []byte   // without the LF; valid until the next one is read
	At  Position // behind it
}

// After is Events from a position on that an earlier Line was at.
func (s *Session) After(p Position) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		f, err := os.Open(s.EventsFile())
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer f.Close()
		if _, err := f.Seek(p.End, io.SeekStart); err != nil {
			yield(Line{}, err)
			return
		}
		r := newReader(f, f.Name())
		r.seq, r.end = p.Seq, p.End
		for {
			e, err := r.next()
			if err == io.EOF {
				return
			}
			if !yield(Line{e, r.raw, Position{r.seq, r.end}}, err) || err != nil {
				return
			}
		}
	}
}

// Holds tells whether a line with these bytes, its LF left out, still ends at a
// position: whether the record is the one that was read then, and was only
// added to since.
func (s *Session) Holds(p Position, raw []byte) bool {
	f, err := os.Open(s.EventsFile())
	if err != nil {
		return false
	}
	defer f.Close()
	there := make([]byte, len(raw)+1)
	from := p.End - int64(len(there))
	if from < 0 {
		return false
	}
	_, err = f.ReadAt(there, from)
	return err == nil && bytes.Equal(there[:len(raw)], raw) && there[len(raw)] == '\n'
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
	seq  int64  // of the last event, which is the number of its line
	end  int64  // bytes up to and with the last whole line
	raw  []byte // the last line, without its LF
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
	r.raw = line[:len(line)-1]
	e, err := decode(r.raw)
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
