package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages/envelope"
)

// maxReply bounds a typed reply that is kept, in bytes. What is longer is
// invalid: it would not fit into the record either.
const maxReply = 4 << 20

// answer is a reply as it was read.
type answer struct {
	text    string
	env     envelope.Envelope // nil if err is set
	raw     json.RawMessage   // the envelope as it was written; nil for XML
	result  dispatch.Result
	printed []byte // the task-result element as it was written
	checks  []envelope.Check
	err     error // why it cannot be used
}

// reviewed tells a verdict of FAIL by a review that was made from an agent
// that could not do its work.
func (a *answer) reviewed() bool {
	return a.env.Type() == envelope.Review && a.env.Common().Status == envelope.Success
}

func (a *answer) violations() []envelope.Check {
	return slices.DeleteFunc(slices.Clone(a.checks), func(c envelope.Check) bool { return c.OK })
}

// read reads a reply in the form that was asked for.
func (c *conversation) read(s *said) answer {
	a := answer{text: s.text}
	if c.form() == JSON {
		c.readJSON(&a)
	} else {
		c.readXML(&a)
	}
	a.result.Work, a.result.Task, a.result.Agent = c.req.Dispatch.Work, c.req.Step.Task, c.req.Step.Stage
	return a
}

func (c *conversation) readJSON(a *answer) {
	env, raw, err := envelope.Find(c.role.output, []byte(a.text))
	if err == nil && len(raw) > maxReply {
		err = fmt.Errorf("the JSON has %d bytes, at most %d are read", len(raw), maxReply)
	}
	if err != nil {
		a.err = err
		return
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		a.err = err
		return
	}
	a.env, a.raw, a.result = env, compact.Bytes(), envelope.Result(env)
	a.result.Envelope = a.raw
}

func (c *conversation) readXML(a *answer) {
	e := dispatch.Expect{Work: c.req.Dispatch.Work, Task: c.req.Step.Task, Agent: c.req.Step.Stage}
	result, err := dispatch.ParseResult([]byte(a.text), e)
	if err != nil {
		a.err = err
		return
	}
	a.result, a.printed = result, dispatch.Printed([]byte(a.text), result, e)
	if result.Status == dispatch.Fail && result.Summary == "" {
		a.result.Summary = "it said FAIL and gave no summary"
	}
	a.env = claims(c.role, result)
}

// claims is a task-result as the envelope of its stage, for the gates.
func claims(r role, result dispatch.Result) envelope.Envelope {
	base := envelope.FromResult(result).Base
	switch r.output {
	case envelope.Build:
		out := envelope.BuildOutput{Base: base}
		for _, f := range result.FilesChanged {
			out.ChangedFiles = append(out.ChangedFiles, f.Path)
		}
		return out
	case envelope.Review:
		return envelope.ReviewOutput{Base: base, Approved: result.Status == dispatch.Pass}
	}
	return envelope.GenericOutput{Base: base}
}

// check runs the gates over a reply that claims success.
func (c *conversation) check(ctx context.Context, a *answer) error {
	if a.err != nil || a.env.Common().Status != envelope.Success {
		return nil
	}
	a.checks = envelope.RunGates(ctx, c.gates, a.env, c.facts())
	return ctx.Err()
}

// facts are what gates may look at.
func (c *conversation) facts() envelope.Facts {
	f := envelope.Facts{
		Workspace: c.req.Workspace, HandoffDir: c.req.HandoffDir, SessionDir: c.sessionDir(),
		Base: string(c.req.Base), Run: c.runTest,
	}
	if facts := c.req.Facts; facts != nil {
		f.Head = func(ctx context.Context) (string, error) {
			h, err := facts.Head(ctx)
			return string(h), err
		}
		f.Differ = func(ctx context.Context, paths []string) ([]string, error) {
			return facts.Differ(ctx, c.req.Base, paths)
		}
	}
	return f
}
