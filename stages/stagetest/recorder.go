package stagetest

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sync"

	"github.com/taskpipeline/pipeline/stages"
)

// Recorder is a Sink that keeps everything in memory. Its zero value is ready.
type Recorder struct {
	mu       sync.Mutex
	files    map[string][]byte
	output   bytes.Buffer
	evidence []stages.Evidence
	agents   map[string]stages.AgentSession
}

// Save keeps a file of the step. A name that would leave the step's folder is
// an error.
func (r *Recorder) Save(name string, b []byte) error {
	if !fs.ValidPath(name) || name == "." {
		return fmt.Errorf("save %q: not a name inside the step's folder", name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.files == nil {
		r.files = map[string][]byte{}
	}
	r.files[name] = bytes.Clone(b)
	return nil
}

// Output is the writer of the step's raw output: see Printed.
func (r *Recorder) Output() io.Writer { return output{r} }

type output struct{ r *Recorder }

func (o output) Write(p []byte) (int, error) {
	o.r.mu.Lock()
	defer o.r.mu.Unlock()
	return o.r.output.Write(p)
}

// Evidence keeps e.
func (r *Recorder) Evidence(e stages.Evidence) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.evidence = append(r.evidence, e)
	return nil
}

// AgentSession is the memory of the named agent's session.
func (r *Recorder) AgentSession(name string) stages.AgentStore { return agentStore{r, name} }

type agentStore struct {
	r    *Recorder
	name string
}

func (s agentStore) Load() (stages.AgentSession, bool, error) {
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	a, ok := s.r.agents[s.name]
	return a, ok, nil
}

func (s agentStore) Store(a stages.AgentSession) error {
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	if s.r.agents == nil {
		s.r.agents = map[string]stages.AgentSession{}
	}
	s.r.agents[s.name] = a
	return nil
}

// Printed is the raw output so far.
func (r *Recorder) Printed() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.output.String()
}

// Saved is the file saved last under a name, and whether there is one.
func (r *Recorder) Saved(name string) ([]byte, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b, ok := r.files[name]
	return b, ok
}

// Recorded is the evidence so far, oldest first.
func (r *Recorder) Recorded() []stages.Evidence {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.evidence)
}
