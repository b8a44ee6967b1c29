package view

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/agentlog"
)

// Conversation puts the raw output of stages into words as it is written: of an
// agent the sends, what it did and said, and what became of its replies. What
// no agent printed it passes on as it is. Close it at the end.
func Conversation(w io.Writer) io.WriteCloser { return &conversation{w: w} }

type conversation struct {
	w      io.Writer
	line   []byte
	reader *agentlog.Reader // of the send under way; nil between sends, and for a command
	err    error
}

func (c *conversation) Write(p []byte) (int, error) {
	n := len(p)
	for c.err == nil {
		line, rest, whole := bytes.Cut(p, []byte("\n"))
		c.line = append(c.line, line...)
		if !whole {
			break
		}
		c.take(c.line)
		c.line, p = c.line[:0], rest
	}
	return n, c.err
}

// Close takes in a last line that had no end.
func (c *conversation) Close() error {
	if len(c.line) > 0 {
		c.take(c.line)
		c.line = nil
	}
	return c.err
}

func (c *conversation) say(format string, a ...any) {
	if c.err == nil {
		_, c.err = fmt.Fprintf(c.w, format+"\n", a...)
	}
}

// recorded is a line that the pipeline itself wrote between those of an agent.
type recorded struct {
	Type        string
	Stage       string
	Attempt     int
	Round       int
	Send        int
	Kind        string
	CodingAgent string `json:"coding_agent"`
	Output      string
	Valid       bool
	Error       string
	Fault       string
	Text        string
	stages.Usage
}

func (c *conversation) take(line []byte) {
	var r recorded
	if bytes.HasPrefix(line, []byte(`{"type":"pipeline_`)) || bytes.HasPrefix(line, []byte(`{"type":"stderr",`)) {
		_ = json.Unmarshal(line, &r) // what does not fit is an agent's own
	}
	switch {
	case r.Type == "pipeline_send":
		c.reader = agentlog.NewReader(agentlog.CLI(r.CodingAgent), c.see)
		step := stages.Step{Stage: dispatch.Stage(r.Stage), Attempt: r.Attempt, Round: r.Round}
		c.say("== send %d, %s, to %s%s", r.Send, step, r.CodingAgent, why(r.Kind))
		if strings.HasPrefix(r.CodingAgent, "command ") {
			c.reader = nil
		}
	case r.Type == "pipeline_reply":
		c.reader = nil
		c.say("== %s%s", verdictOf(r), tally(r.Usage))
	case r.Type == "stderr":
		c.say("  ! %s", r.Text)
	case c.reader == nil:
		c.say("%s", line)
	default:
		_, _ = c.reader.Write(append(line, '\n')) // it takes everything
	}
}

// why is the reason of a send that was not the first of its stage.
func why(kind string) string {
	switch kind {
	case "fix":
		return ": a correction of its form"
	case "gates":
		return ": a correction after the gates"
	case "interrupted":
		return ": to go on where it was cut off"
	}
	return ""
}

func verdictOf(r recorded) string {
	switch {
	case r.Fault != "":
		return oneLine(r.Fault)
	case r.Error != "":
		return "not accepted: " + oneLine(r.Error)
	}
	return "a valid " + cmp.Or(r.Output, "reply")
}

// tally is what something used up, in parentheses; "" if nothing is known.
func tally(u stages.Usage) string {
	if text := used(u); text != "" {
		return " (" + text + ")"
	}
	return ""
}

// used is what agents used up: "3 sends, 12,345 tokens, $0.12"; "" for nothing.
func used(u stages.Usage) string {
	var parts []string
	if u.Sends > 0 {
		parts = append(parts, count(u.Sends, "send"))
	}
	if n := u.InputTokens + u.OutputTokens; n > 0 {
		parts = append(parts, thousands(n)+" tokens")
	}
	switch {
	case u.USD >= 0.01:
		parts = append(parts, fmt.Sprintf("$%.2f", u.USD))
	case u.USD > 0:
		parts = append(parts, fmt.Sprintf("$%.2g", u.USD))
	}
	return strings.Join(parts, ", ")
}

// thousands writes 1234567 as 1,234,567.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// see is told what the agent does.
func (c *conversation) see(e agentlog.Event) {
	switch e.Kind {
	case agentlog.ToolCall:
		c.say("  > %s", strings.TrimSpace(e.Tool+" "+e.Input))
	case agentlog.ToolResult:
		if !e.OK {
			c.say("  ✗ %s", cmp.Or(oneLine(e.Text), "it failed"))
		}
	case agentlog.Text:
		for line := range strings.Lines(e.Text) {
			c.say("  %s", strings.TrimSuffix(line, "\n"))
		}
	}
}
