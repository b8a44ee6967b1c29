package stages

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/taskpipeline/pipeline/internal/secret"
	"github.com/taskpipeline/pipeline/tasks"
)

// Secret is a value that stands in no file that is written and in no commit,
// and the name that stands in its place. One of fewer than 4 bytes is no secret.
type Secret = secret.Secret

// Mask keeps secrets out of everything that is written down. A nil Mask knows
// none. It is safe for concurrent use.
type Mask struct{ set *secret.Set }

// NewMask makes the Mask of some secrets, nil if there are none.
func NewMask(secrets []Secret) *Mask {
	if set := secret.New(secrets); set != nil {
		return &Mask{set}
	}
	return nil
}

// Bytes is b with every secret masked, as `[secret NAME]`; b itself if it holds
// none.
func (m *Mask) Bytes(b []byte) []byte {
	if m == nil {
		return b
	}
	return m.set.Bytes(b)
}

// Text is a text with every secret masked.
func (m *Mask) Text(s string) string {
	if m == nil {
		return s
	}
	return m.set.Text(s)
}

// In is the name of the first secret in b, "" if it holds none.
func (m *Mask) In(b []byte) string {
	if m == nil {
		return ""
	}
	return m.set.In(b)
}

// Executor is e with every secret masked in all that it says: its Response, its
// errors, and what it gives to its Sink. In the files that it leaves in the
// session itself stars stand in their place, and a warning names the file. It
// has to be outside of whatever else is put around e.
func (m *Mask) Executor(e Executor) Executor {
	if m == nil {
		return e
	}
	return masked{e, m.set}
}

type masked struct {
	inner Executor
	set   *secret.Set
}

func (m masked) Execute(ctx context.Context, req Request) (resp Response, err error) {
	sink := &maskedSink{Sink: req.Sink, set: m.set, out: m.set.Writer(req.Sink.Output())}
	dirs := ownFolders(req)
	was := secret.Look(dirs...)
	if req.Interrupted {
		was = nil // what it left when it was cut off has not been looked at
	}
	defer func() {
		// Output never refuses a write.
		_ = sink.out.Flush()
		if p := recover(); p != nil {
			panic(m.set.Text(fmt.Sprint(p)))
		}
	}()
	req.Sink = sink
	resp, err = m.inner.Execute(ctx, req)
	resp, err = m.response(resp), m.error(err)
	// A stage that was cut off has left something, too.
	found, scrubErr := m.set.Scrub(context.WithoutCancel(ctx), was, dirs...)
	for _, f := range found {
		text := fmt.Sprintf("%s held the value of %s: it was masked", within(req, f.Path), f.Name)
		scrubErr = errors.Join(scrubErr, sink.Evidence(Evidence{Type: "warning", Text: text}))
	}
	if scrubErr != nil && err == nil {
		return resp, fmt.Errorf("mask the secrets in what was left in the session: %w", m.error(scrubErr))
	}
	return resp, err
}

func (m masked) Ready(task tasks.Task) error { return m.error(Ready(m.inner, task)) }

func (m masked) Continues() bool { return Continues(m.inner) }

// ownFolders are those of the session in which a stage may leave files.
func ownFolders(req Request) []string {
	var dirs []string
	if req.HandoffDir != "" {
		dirs = append(dirs, req.HandoffDir)
	}
	if req.AgentDir != "" {
		dirs = append(dirs, filepath.Join(req.AgentDir, "agent_sessions"))
	}
	if req.Progress != "" && !inside(req.Workspace, req.Progress) {
		dirs = append(dirs, req.Progress)
	}
	return dirs
}

func inside(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// within is a path of the session as a reader knows it.
func within(req Request, path string) string {
	session := filepath.Dir(req.HandoffDir)
	if rel, err := filepath.Rel(session, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

func (m masked) response(r Response) Response {
	r.Result = secret.Value(m.set, r.Result)
	r.Printed = m.set.Bytes(r.Printed)
	r.Wait = secret.Value(m.set, r.Wait)
	return r
}

// error is err with its texts masked; it still is whatever err is.
func (m masked) error(err error) error {
	if err == nil {
		return nil
	}
	text := m.set.Text(err.Error())
	var fault *Fault
	if errors.As(err, &fault) {
		copied := secret.Value(m.set, *fault)
		fault = &copied
	}
	if fault == nil && text == err.Error() {
		return err
	}
	return maskedError{text, fault, err}
}

type maskedError struct {
	text  string
	fault *Fault // masked; nil if the error is none
	inner error
}

func (e maskedError) Error() string { return e.text }

func (e maskedError) Unwrap() error { return e.inner }

// As keeps the Fault inside from being found as it was.
func (e maskedError) As(target any) bool {
	fault, ok := target.(**Fault)
	if ok && e.fault != nil {
		*fault = e.fault
		return true
	}
	return false
}

// maskedSink is a Sink that is told no secret.
type maskedSink struct {
	Sink
	set *secret.Set
	out *secret.Writer
}

func (s *maskedSink) Output() io.Writer { return s.out }

func (s *maskedSink) Save(name string, b []byte) error {
	return s.Sink.Save(s.set.Text(name), maskedFile(s.set, b))
}

func (s *maskedSink) Evidence(e Evidence) error { return s.Sink.Evidence(secret.Value(s.set, e)) }

func (s *maskedSink) AgentSession(name string) AgentStore {
	return maskedStore{s.Sink.AgentSession(name), s.set}
}

type maskedStore struct {
	AgentStore
	set *secret.Set
}

func (s maskedStore) Store(a AgentSession) error { return s.AgentStore.Store(secret.Value(s.set, a)) }

// maskedFile is a file's content with every secret masked. JSON stays JSON.
func maskedFile(set *secret.Set, b []byte) []byte {
	if len(b) > 0 && (b[0] == '{' || b[0] == '[') {
		return set.JSON(b)
	}
	return set.Bytes(b)
}
