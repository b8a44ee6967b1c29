package session

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/taskpipeline/pipeline/scheduler"
)

// watchEvery is how often a live run looks for requests.
const watchEvery = 500 * time.Millisecond

// Inbox is the live run's side of a session's requests. It is safe for
// concurrent use.
type Inbox struct {
	session *Session
	began   time.Time // of the run

	mu       sync.Mutex
	recorded map[string]bool // by id; false for one that has only been handed out
}

// Inbox reads the session's requests for a run that began at that time, its
// lock's start. past is the record so far: what it holds already is not asked
// for again.
func (s *Session) Inbox(past []scheduler.Event, began time.Time) *Inbox {
	in := &Inbox{session: s, began: began, recorded: map[string]bool{}}
	for _, e := range past {
		if e.Request != "" {
			in.recorded[e.Request] = true
		}
	}
	return in
}

// Poll returns what has been asked since the last Poll, oldest first: command
// events without a Seq, each with Request set. Record each, then call Done. A
// file that is no request is renamed to end in ".bad" and told by an event of
// type warning; so is, with its Request, a stop that was meant for an earlier run.
func (in *Inbox) Poll() ([]scheduler.Event, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	entries, err := os.ReadDir(in.session.requests())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var asked []scheduler.Event
	for _, entry := range entries { // by name, which for ULIDs is by time
		id, ok := strings.CutSuffix(entry.Name(), ".json")
		if !ok || strings.HasPrefix(id, ".") { // one that is being written, or was put aside
			continue
		}
		if !isRequestID(id) {
			asked = append(asked, in.putAside(entry.Name(), errors.New("its name is not a ULID")))
			continue
		}
		if recorded, known := in.recorded[id]; known {
			if recorded {
				if err := in.remove(id); err != nil {
					return asked, err
				}
			}
			continue
		}
		b, err := readInside(in.session.requests(), entry.Name(), maxRequest)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		e := scheduler.Event{}
		if err == nil {
			e, err = parseRequest(id, b)
		}
		if err != nil {
			asked = append(asked, in.putAside(entry.Name(), err))
			continue
		}
		if e.Verb == scheduler.Stop && postedBefore(id, in.began) {
			e = warning("stop of %s was meant for a run that has ended; this one goes on", e.Time.Format(time.RFC3339))
			e.Request = id
		}
		in.recorded[id] = false
		asked = append(asked, e)
	}
	return asked, nil
}

// Done removes the file of a request that has been recorded. Other events are
// none of its business.
func (in *Inbox) Done(e scheduler.Event) error {
	if !isRequestID(e.Request) {
		return nil
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.recorded[e.Request] = true
	return in.remove(e.Request)
}

func (in *Inbox) remove(id string) error {
	_, err := in.session.TakeBack(id)
	return err
}

// Watch polls at least every second until ctx ends, and then closes the
// channel. A folder that cannot be read is told once, as a warning.
func (in *Inbox) Watch(ctx context.Context) <-chan scheduler.Event {
	out := make(chan scheduler.Event)
	go func() {
		defer close(out)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		told := ""
		for {
			asked, err := in.Poll()
			if err != nil && err.Error() != told {
				told = err.Error()
				asked = append(asked, warning("%s", told))
			}
			for _, e := range asked {
				select {
				case out <- e:
				case <-ctx.Done():
					return
				}
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// putAside gets a file out of the way that would be met at every poll.
func (in *Inbox) putAside(name string, why error) scheduler.Event {
	path := filepath.Join(in.session.requests(), name)
	kept := name + ".bad"
	if err := os.Rename(path, path+".bad"); err != nil {
		kept = err.Error()
	}
	return warning("%s/%q: %s; kept as %q", requestFolder, clip(name, maxName), clip(why.Error(), maxName), clip(kept, maxName))
}
