package agent_test

import (
	"bytes"
	"errors"
	"io"

	"github.com/taskpipeline/pipeline/stages"
)

var errCut = errors.New("the machine went off")

// cutting is a Sink of a run that is cut off when evidence of a kind is to be
// recorded: with agent_text in the middle of a reply, with agent_replied when
// the agent has said all that it says and nobody has taken it in.
type cutting struct {
	stages.Sink
	at string
}

func (c cutting) Evidence(e stages.Evidence) error {
	if e.Type == c.at {
		return errCut
	}
	return c.Sink.Evidence(e)
}

func (c cutting) Output() io.Writer { return cuttingOutput{c.Sink.Output()} }

type cuttingOutput struct{ io.Writer }

func (o cuttingOutput) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("pipeline_reply")) {
		return len(p), nil
	}
	return o.Writer.Write(p)
}
