package session

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/taskpipeline/pipeline/scheduler"
)

// endBlock is how much of a record's end is read first; it doubles until it
// holds what is looked for.
const endBlock = 64 << 10

// ends are the first event and the last one that is not evidence; nil if
// nothing is recorded.
func (s *Session) ends() (first, last *scheduler.Event, err error) {
	f, err := os.Open(s.EventsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	e, err := newReader(f, f.Name()).next()
	if err == io.EOF {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	last, err = lastDecisive(f)
	if last == nil {
		last = &e
	}
	return &e, last, err
}

// lastDecisive reads a record backwards to its last fact or conclusion.
func lastDecisive(f *os.File) (*scheduler.Event, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	for block := int64(endBlock); ; block *= 2 {
		from := max(0, size-block)
		b := make([]byte, size-from)
		if _, err := f.ReadAt(b, from); err != nil && err != io.EOF {
			return nil, err
		}
		b = b[:bytes.LastIndexByte(b, '\n')+1] // without a torn line
		if from > 0 {
			b = b[bytes.IndexByte(b, '\n')+1:] // without the line that is cut
		}
		for len(b) > 0 {
			start := bytes.LastIndexByte(b[:len(b)-1], '\n') + 1
			e, err := decode(b[start : len(b)-1])
			if err != nil {
				return nil, &RecordError{File: f.Name(), Line: lineAt(f, from+int64(start)), Err: err}
			}
			if !evidence(e.Type) {
				return &e, nil
			}
			b = b[:start]
		}
		if from == 0 || block > 2*MaxLine {
			return nil, nil
		}
	}
}

// lineAt is the number of the line that starts at an offset.
func lineAt(f *os.File, offset int64) int {
	line := 1
	r := io.NewSectionReader(f, 0, offset)
	buf := make([]byte, endBlock)
	for {
		n, err := r.Read(buf)
		line += bytes.Count(buf[:n], []byte{'\n'})
		if err != nil {
			return line
		}
	}
}

func evidence(t scheduler.Type) bool {
	switch t {
	case scheduler.AgentSent, scheduler.AgentReplied, scheduler.AgentTool, scheduler.AgentText, scheduler.Warning:
		return true
	}
	return false
}
