package session

import (
	"fmt"
	"io"
	"os"

	"github.com/taskpipeline/pipeline/stages"
)

// Sinks makes the Sink of each step of one session.
type Sinks struct {
	Session *Session
	// Limit is how many bytes of a step's raw output are kept; 0 means OutputLimit.
	Limit int64
	// Evidence records what a step wants to be read later; nil drops it. The
	// owner of the record numbers it.
	Evidence func(stages.Step, stages.Evidence) error
}

// Sink is where a step's files, output and evidence go: the folder named for
// its TASK and stage. It is safe for concurrent use. It is also an io.Closer:
// closing it after the step frees the file that the output goes to; nothing is
// lost by not doing so.
func (s *Sinks) Sink(step stages.Step) stages.Sink {
	return &sink{sinks: s, step: step, out: output{
		limit: max(s.Limit, 0),
		open:  func() (*os.File, error) { return s.Session.openOutput(step.Agent()) },
		enter: func(do func() error) error {
			return s.Session.ledger.write(s.Session.Dir, step.Agent()+"/"+outputFile, do)
		},
	}}
}

type sink struct {
	sinks *Sinks
	step  stages.Step
	out   output
}

func (s *sink) Save(name string, b []byte) error {
	if err := checkName(name); err != nil {
		return fmt.Errorf("%s: %w", s.step, err)
	}
	if err := s.sinks.Session.save(s.step.Agent()+"/"+name, b); err != nil {
		return fmt.Errorf("%s: %w", s.step, err)
	}
	return nil
}

func (s *sink) Output() io.Writer { return &s.out }

func (s *sink) Evidence(e stages.Evidence) error {
	if s.sinks.Evidence == nil {
		return nil
	}
	return s.sinks.Evidence(s.step, e)
}

func (s *sink) AgentSession(name string) stages.AgentStore { return s.sinks.Session.Agent(name) }

func (s *sink) Close() error { return s.out.Close() }

// openOutput opens an agent's raw output for writing, wherever a link planted
// in its place may point: os.Root does not follow it out of the session.
func (s *Session) openOutput(agent string) (*os.File, error) {
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := root.MkdirAll(agent, 0o755); err != nil {
		return nil, err
	}
	return root.OpenFile(agent+"/"+outputFile, os.O_RDWR|os.O_CREATE, 0o644)
}
