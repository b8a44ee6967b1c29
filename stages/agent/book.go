package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/taskpipeline/pipeline/internal/proc"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/agentlog"
	"github.com/taskpipeline/pipeline/stages/envelope"
)

// book is what is on record of an agent's sends.
type book struct {
	req   stages.Request
	n     int  // number of the last send
	heard *ear // the last one that brought a reply
	cut   []byte
}

// openBook goes on counting where the agent's last step ended.
func openBook(req stages.Request) (*book, error) {
	b := &book{req: req}
	if req.AgentDir == "" {
		return b, nil
	}
	files, err := os.ReadDir(filepath.Join(req.AgentDir, "prompts"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, f := range files {
		number, _, _ := strings.Cut(f.Name(), "-")
		if n, err := strconv.Atoi(number); err == nil && n > b.n && n < 1<<30 {
			b.n = n
		}
	}
	return b, nil
}

// sent is the line of raw output, and the evidence, with which a send begins.
type sent struct {
	Type        string    `json:"type,omitempty"`
	Task        string    `json:"task,omitempty"`
	Stage       string    `json:"stage,omitempty"`
	Attempt     int       `json:"attempt,omitempty"`
	Round       int       `json:"round,omitempty"`
	Send        int       `json:"send"`
	Kind        kind      `json:"kind"`
	Prompt      string    `json:"prompt"`
	System      string    `json:"system,omitempty"`
	CodingAgent string    `json:"coding_agent"`
	Model       string    `json:"model"`
	SessionID   string    `json:"session_id"`
	Time        time.Time `json:"time,omitzero"`
}

// replied is the line, and the evidence, with which a send ends.
type replied struct {
	Type         string           `json:"type,omitempty"`
	Send         int              `json:"send"`
	Output       string           `json:"output,omitempty"` // the type of the envelope
	Valid        bool             `json:"valid"`
	Error        string           `json:"error,omitempty"`
	Tail         string           `json:"tail,omitempty"`
	Envelope     json.RawMessage  `json:"envelope,omitempty"`
	Gates        []envelope.Check `json:"gates,omitempty"`
	Fault        string           `json:"fault,omitempty"`
	InputTokens  int64            `json:"input_tokens"`
	OutputTokens int64            `json:"output_tokens"`
	USD          float64          `json:"usd"`
	Tools        int              `json:"tools"`
	Total        *total           `json:"session_total,omitempty"`
	Time         time.Time        `json:"time,omitzero"`
}

// send records what is about to be sent: the prompt as it is, then that it is
// sent.
func (b *book) send(c *conversation, next state, k call) error {
	b.n++
	prompt := fmt.Sprintf("prompts/%04d-user.md", b.n)
	if err := b.req.Sink.Save(prompt, []byte(k.prompt)); err != nil {
		return err
	}
	s := sent{
		Task: string(b.req.Step.Task), Stage: string(b.req.Step.Stage), Attempt: b.req.Step.Attempt, Round: max(b.req.Step.Round, 1),
		Send: b.n, Kind: next.Kind, Prompt: prompt, CodingAgent: c.codingAgent(), Model: c.Model, SessionID: k.session,
	}
	if k.system != "" {
		s.System = fmt.Sprintf("prompts/%04d-system.md", b.n)
		if err := b.req.Sink.Save(s.System, []byte(k.system)); err != nil {
			return err
		}
	}
	if err := b.evidence("agent_sent", cmp.Or(next.Why, "is asked"), s); err != nil {
		return err
	}
	s.Type, s.Time = "pipeline_send", time.Now().UTC()
	return b.line(s)
}

// evidence records a value as an event's data.
func (b *book) evidence(kind, text string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var data map[string]any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&data); err != nil {
		return err
	}
	for _, known := range []string{"task", "stage", "attempt", "round"} {
		delete(data, known) // the event has them
	}
	return b.req.Sink.Evidence(stages.Evidence{Type: kind, Text: text, Data: data})
}

// line writes one of our lines between those of the agent.
func (b *book) line(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = b.req.Sink.Output().Write(append(raw, '\n'))
	return err
}

// ends records the end of a send.
func (b *book) ends(e *ear, r replied) error {
	if e != nil {
		o, u := e.outcome(), e.used
		r.InputTokens, r.OutputTokens, r.USD, r.Tools, r.Total = u.InputTokens, u.OutputTokens, u.USD, o.Usage.Tools, e.c.adapter.totals(o)
	}
	r.Send = b.n
	text := fmt.Sprintf("send %d: a valid %s", r.Send, r.Output)
	switch {
	case r.Fault != "":
		text = fmt.Sprintf("send %d: %s", r.Send, r.Fault)
	case !r.Valid:
		text = fmt.Sprintf("send %d: %s", r.Send, r.Error)
	}
	if err := b.evidence("agent_replied", clip(text, 1000), r); err != nil {
		return err
	}
	r.Type, r.Time = "pipeline_reply", time.Now().UTC()
	return b.line(r)
}

// replied records a reply, whatever it is worth.
func (b *book) replied(c *conversation, a *answer) error {
	r := replied{Output: string(c.role.output), Valid: a.err == nil, Envelope: a.raw}
	if c.form() == XML {
		r.Output = "task-result"
	}
	refused := a.violations()
	switch {
	case a.err != nil:
		r.Error, r.Tail = clip(a.err.Error(), 2000), tail(a.text)
	case len(refused) > 0:
		r.Error, r.Tail = inLine(refused), tail(a.text)
	case a.raw != nil:
		if err := b.req.Sink.Save("envelope.json", []byte(indented(a.raw)+"\n")); err != nil {
			return err
		}
	}
	r.Gates = capped(a.checks)
	heard := b.heard
	b.heard = nil
	return b.ends(heard, r)
}

// maxChecks bounds the checks of gates that are kept of one reply.
const maxChecks = 1000

func capped(checks []envelope.Check) []envelope.Check {
	return checks[:min(len(checks), maxChecks)]
}

// faulted records a send that brought no reply.
func (b *book) faulted(e *ear, f *agentlog.Fault) error {
	return errors.Join(b.ends(e, replied{Fault: f.Message, Tail: tail(e.outcome().Final)}), e.err)
}

// broken keeps what an agent had said that was cut off.
func (b *book) broken(e *ear, err error) error {
	b.cut = bytes.Clone(e.printed())
	e.c.spend(e)
	if e.err != nil {
		return e.err
	}
	return err
}

// last is what an agent said before it was cut off.
func (b *book) last() string { return proc.WithLast("cut off", b.cut) }
