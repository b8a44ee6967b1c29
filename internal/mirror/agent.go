package mirror

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
)

// where says to which step of which agent a send belongs.
type where struct {
	Task    str `json:"task"`
	Stage   str `json:"stage"`
	Attempt num `json:"attempt"`
	Round   num `json:"round"`
}

// sent is what is recorded of a prompt: the data of an agent_sent event, or a
// line of raw_output.jsonl. Fields of another type than they should have are
// left empty.
type sent struct {
	where
	Send        int64     `json:"send"`
	Kind        str       `json:"kind"`
	Prompt      str       `json:"prompt"`
	System      str       `json:"system"`
	CodingAgent str       `json:"coding_agent"`
	Model       str       `json:"model"`
	SessionID   str       `json:"session_id"`
	Time        time.Time `json:"time"`
}

// replied is what is recorded of a reply, in the same two places.
type replied struct {
	Send         int64           `json:"send"`
	Output       str             `json:"output"`
	Type         str             `json:"type"`
	Valid        bool            `json:"valid"`
	Error        str             `json:"error"`
	Tail         str             `json:"tail"`
	Envelope     json.RawMessage `json:"envelope"`
	Gates        []check         `json:"gates"`
	Fault        str             `json:"fault"`
	InputTokens  int64           `json:"input_tokens"`
	OutputTokens int64           `json:"output_tokens"`
	USD          float64         `json:"usd"`
	Tools        int64           `json:"tools"`
	Time         time.Time       `json:"time"`
}

// check is what one gate found.
type check struct {
	Gate str  `json:"gate"`
	Item str  `json:"item"`
	OK   bool `json:"ok"`
	Note str  `json:"note"`
}

// dataOf reads an event's data into something typed.
func dataOf(line *session.Line, into any) {
	var data struct {
		Data json.RawMessage `json:"data"`
	}
	if json.Unmarshal(line.Raw, &data) == nil && data.Data != nil {
		_ = json.Unmarshal(data.Data, into) // what is of another type says nothing
	}
}

func whereOf(e *scheduler.Event) (agent string, w where) {
	agent = stages.Step{Task: e.Task, Stage: e.Stage}.Agent()
	return agent, where{str(e.Task), str(e.Stage), num(e.Attempt), num(roundOf(e))}
}

func (f *fold) sent(line *session.Line) {
	var s sent
	dataOf(line, &s)
	agent, w := whereOf(&line.Event)
	s.where, s.Time = w, line.Time
	f.w.put("sends", s.values(f.session.session, agent)...)
}

// replied completes the send that it answers and keeps the reply.
func (f *fold) replied(line *session.Line) {
	var r replied
	dataOf(line, &r)
	agent, w := whereOf(&line.Event)
	r.Time = line.Time
	if !f.w.answered(f.session.session, agent, &r) {
		f.w.put("sends", unsent(f.session.session, agent, w, &r)...)
	}
	if s := f.open(&line.Event); s != nil {
		s.sends++
		s.input += r.InputTokens
		s.output += r.OutputTokens
		s.usd += r.USD
	}
	f.w.exec("DELETE FROM gate_results WHERE session = ? AND agent = ? AND send = ?", &f.session.session, agent, r.Send)
	if r.Fault != "" {
		return
	}
	f.w.put("envelopes", r.values(f.session.session, agent, w)...)
	f.w.gates(f.session.session, agent, &r)
}

// values are the row of a send that is not yet answered.
func (s *sent) values(id str, agent string) []any {
	at := moment(s.Time)
	return []any{&id, agent, s.Send, &s.Task, &s.Stage, &s.Attempt, &s.Round, &s.Kind, &s.Prompt, &s.System,
		&s.CodingAgent, &s.Model, &s.SessionID, &at, nil, nil, int64(0), int64(0), float64(0), int64(0)}
}

// unsent is the row of a send of which only the answer is on record.
func unsent(id str, agent string, w where, r *replied) []any {
	at := moment(r.Time)
	return []any{&id, agent, r.Send, &w.Task, &w.Stage, &w.Attempt, &w.Round, nil, nil, nil, nil, nil, nil, nil,
		&at, &r.Fault, r.InputTokens, r.OutputTokens, r.USD, r.Tools}
}

// values are the row of a reply.
func (r *replied) values(id str, agent string, w where) []any {
	kind := r.Output
	if kind == "" && r.Type != lineReply {
		kind = r.Type
	}
	envelope := canonical(r.Envelope)
	return []any{&id, agent, r.Send, &w.Task, &w.Stage, &w.Attempt, &w.Round, &kind, r.Valid, &r.Error, &r.Tail, &envelope}
}

// answered completes the row of a send; false if there is none that waits.
func (w *writer) answered(id str, agent string, r *replied) bool {
	at := moment(r.Time)
	return w.exec(`UPDATE sends SET replied = ?, fault = ?, input_tokens = ?, output_tokens = ?, usd = ?, tools = ?
		WHERE session = ? AND agent = ? AND send = ? AND replied IS NULL`,
		&at, &r.Fault, r.InputTokens, r.OutputTokens, r.USD, r.Tools, &id, agent, r.Send) > 0
}

// gates writes what gates found about a reply.
func (w *writer) gates(id str, agent string, r *replied) {
	for i := range r.Gates {
		g := &r.Gates[i]
		w.put("gate_results", &id, agent, r.Send, int64(i+1), &g.Gate, &g.Item, g.OK, &g.Note)
	}
}

// canonical is JSON in one form, whichever way it was written down.
func canonical(raw json.RawMessage) str {
	if raw == nil {
		return ""
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil || v == nil {
		return ""
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return ""
	}
	return str(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
