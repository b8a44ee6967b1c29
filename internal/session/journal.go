package session

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/taskpipeline/pipeline/internal/crash"
	"github.com/taskpipeline/pipeline/scheduler"
)

// Journal appends to a session's record. It is safe for concurrent use, but
// only the holder of the repository's Lock may have one.
//
// After a write or a sync that went wrong nothing is known of what is on disk,
// so every later call returns the same error; opening the record again finds
// out.
type Journal struct {
	file  *os.File
	enter func(write func() error) error // performs a write, and enters it in the ledger

	mu      sync.Mutex // guards what follows, and the order of lines
	seq     int64      // of the last event appended
	written int64      // bytes appended since opening
	err     error

	syncing sync.Mutex // held by the one who syncs; the others wait and find it done
	synced  int64      // bytes known to be on disk; guarded by syncing
}

// Journal opens the session's record for appending, making it if there is none,
// and returns what it holds. A torn last line is cut off. Events go on at
// seq len(past)+1.
func (s *Session) Journal() (j *Journal, past []scheduler.Event, err error) {
	defer crash.Around("journal open")()
	f, err := os.OpenFile(s.EventsFile(), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	r := newReader(f, f.Name())
	for {
		e, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		past = append(past, e)
	}
	if err := f.Truncate(r.end); err != nil {
		return nil, nil, err
	}
	if _, err := f.Seek(r.end, io.SeekStart); err != nil {
		return nil, nil, err
	}
	if err := f.Sync(); err != nil {
		return nil, nil, err
	}
	if err := syncDir(filepath.Dir(f.Name())); err != nil {
		return nil, nil, err
	}
	s.knowAgents()
	if err := s.ledger.begin(s.Dir); err != nil {
		return nil, nil, err
	}
	enter := func(write func() error) error { return s.ledger.write(s.Dir, eventsFile, write) }
	return &Journal{file: f, enter: enter, seq: r.seq}, past, nil
}

// Append writes an event's line. Seq and Time are the caller's to set; Seq must
// follow the last event's. The event counts as recorded once Sync has returned.
func (j *Journal) Append(e *scheduler.Event) error {
	line, err := Encode(e)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	if e.Seq != j.seq+1 {
		return fmt.Errorf("event %d (%s): the next seq of %s is %d", e.Seq, e.Type, j.file.Name(), j.seq+1)
	}
	defer crash.Around("journal append", string(e.Type))()
	n, err := j.write(line)
	j.written += int64(n)
	if err != nil {
		j.err = err
		return err
	}
	j.seq++
	return nil
}

func (j *Journal) write(line []byte) (n int, err error) {
	if err := crash.Full("journal append"); err != nil {
		return 0, err
	}
	err = j.enter(func() (err error) {
		n, err = j.file.Write(line)
		return err
	})
	return n, err
}

// Sync returns when every event appended before the call is on disk. Callers
// that arrive while a sync is under way share the next one.
func (j *Journal) Sync() error {
	j.mu.Lock()
	want := j.written
	j.mu.Unlock()

	j.syncing.Lock()
	defer j.syncing.Unlock()

	j.mu.Lock()
	now, err := j.written, j.err
	j.mu.Unlock()
	if err != nil || j.synced >= want {
		return err
	}
	defer crash.Around("journal sync")()
	if err := cmp.Or(crash.Full("journal sync"), j.file.Sync()); err != nil {
		j.mu.Lock()
		j.err = err
		j.mu.Unlock()
		return err
	}
	j.synced = now
	return nil
}

// Close syncs what was appended and closes the record.
func (j *Journal) Close() error {
	err := j.Sync()
	if cerr := j.file.Close(); err == nil {
		err = cerr
	}
	return err
}
