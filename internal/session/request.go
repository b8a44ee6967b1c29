package session

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/taskpipeline/pipeline/internal/crash"
	"github.com/taskpipeline/pipeline/scheduler"
)

// maxRequest bounds a request's file, in bytes.
const maxRequest = 64 << 10

// Post leaves a request for the live run of this session and returns its id, a
// ULID. Of the event only Verb, Task, Reason and From count. The file appears
// whole or not at all, and is durable when Post returns.
func (s *Session) Post(asked scheduler.Event, now time.Time) (id string, err error) {
	id = NewID(now)
	e := scheduler.Event{
		V: scheduler.Version, Type: scheduler.Command, Time: now.UTC(), Request: id,
		Verb: asked.Verb, Task: asked.Task, Reason: asked.Reason, From: asked.From,
	}
	if err := checkRequest(e); err != nil {
		return "", err
	}
	b, err := Encode(&e)
	if err != nil {
		return "", err
	}
	if len(b) > maxRequest {
		return "", fmt.Errorf("%s: the request is %d bytes, at most %d are allowed; give a shorter reason", e.Verb, len(b), maxRequest)
	}
	defer crash.Around("request post")()
	if err := os.MkdirAll(s.requests(), 0o755); err != nil {
		return "", err
	}
	if err := writeInside(s.Dir, requestName(id), b); err != nil {
		return "", err
	}
	return id, syncDir(s.requests())
}

// TakeBack removes a request. It is false when the request is gone already: a run
// has recorded it.
func (s *Session) TakeBack(id string) (bool, error) {
	defer crash.Around("request remove")()
	err := os.Remove(filepath.Join(s.Dir, requestName(id)))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (s *Session) requests() string { return filepath.Join(s.Dir, requestFolder) }

func requestName(id string) string { return requestFolder + "/" + id + ".json" }

// parseRequest reads a request's file; what it does not ask for is left out of
// the event.
func parseRequest(id string, b []byte) (scheduler.Event, error) {
	e, err := decode(bytes.TrimSuffix(b, []byte("\n")))
	if err != nil {
		return scheduler.Event{}, err
	}
	if e.Type != scheduler.Command {
		return scheduler.Event{}, fmt.Errorf("event of type %q where a command was expected", clip(string(e.Type), maxID))
	}
	if err := checkRequest(e); err != nil {
		return scheduler.Event{}, err
	}
	return scheduler.Event{
		V: scheduler.Version, Type: scheduler.Command, Time: e.Time, Request: id,
		Verb: e.Verb, Task: e.Task, Reason: e.Reason, From: e.From,
	}, nil
}

func checkRequest(e scheduler.Event) error {
	switch e.Verb {
	case scheduler.Stop:
		return nil
	case scheduler.Approve, scheduler.Reject, scheduler.RetryIt, scheduler.Skip:
		if e.Task == "" {
			return fmt.Errorf("%s: names no TASK", e.Verb)
		}
		return nil
	case "":
		return errors.New("names no verb")
	}
	return fmt.Errorf("unknown verb %q; known are approve, reject, retry, skip, stop", clip(string(e.Verb), maxID))
}

// isRequestID tells whether a file's stem is a ULID in its canonical spelling.
func isRequestID(id string) bool {
	u, err := ulid.ParseStrict(id)
	return err == nil && u.String() == id
}

// postedBefore tells whether a request was left before a moment, by its id.
func postedBefore(id string, moment time.Time) bool {
	u, err := ulid.ParseStrict(id)
	return err == nil && u.Time() < ulid.Timestamp(moment)
}

// warning is an event of evidence about a request.
func warning(format string, a ...any) scheduler.Event {
	return scheduler.Event{V: scheduler.Version, Type: scheduler.Warning, Reason: fmt.Sprintf(format, a...)}
}
