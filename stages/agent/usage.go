package agent

import (
	"bytes"
	"encoding/json"

	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/agentlog"
)

// total is what a CLI says that a session of its has used up so far. Those that
// count over the session say it with each reply, and a send has used up what
// was added.
type total struct {
	SessionID string  `json:"session_id"`
	Input     int64   `json:"input_tokens,omitempty"`
	Output    int64   `json:"output_tokens,omitempty"`
	USD       float64 `json:"usd,omitempty"`
}

// totals is what the CLI counts over the session in an outcome, nil if it
// counts nothing that way.
func (a adapter) totals(o agentlog.Outcome) *total {
	t := total{SessionID: o.SessionID}
	if a.sumsTokens {
		t.Input, t.Output = o.Usage.Input, o.Usage.Output
	}
	if a.sumsUSD {
		t.USD = o.Usage.USD
	}
	if t == (total{SessionID: o.SessionID}) {
		return nil
	}
	return &t
}

// usage is what one send used up.
func (e *ear) usage() stages.Usage {
	o := e.outcome()
	u := stages.Usage{Sends: 1, InputTokens: o.Usage.Input, OutputTokens: o.Usage.Output, USD: o.Usage.USD}
	before := e.c.total
	if now := e.c.adapter.totals(o); now == nil || before.SessionID != now.SessionID ||
		now.Input < before.Input || now.Output < before.Output || now.USD < before.USD {
		return u // another session, or one whose count began anew
	}
	u.InputTokens -= before.Input
	u.OutputTokens -= before.Output
	u.USD -= before.USD
	return u
}

// lastTotal is the total of the last reply on record, of whichever session.
func (c *conversation) lastTotal() (total, error) {
	if c.req.AgentDir == "" || !c.adapter.sumsTokens && !c.adapter.sumsUSD {
		return total{}, nil
	}
	for _, most := range []int64{1 << 20, maxUnheard} {
		raw, err := tailOf(c.inAgentDir("raw_output.jsonl"), most)
		if err != nil {
			return total{}, err
		}
		for raw != nil {
			at := bytes.LastIndex(raw, []byte(`{"type":"pipeline_reply",`))
			if at < 0 {
				break
			}
			line, _, _ := bytes.Cut(raw[at:], []byte("\n"))
			var r replied
			if json.Unmarshal(line, &r) == nil && r.Total != nil {
				return *r.Total, nil
			}
			raw = raw[:at]
		}
	}
	return total{}, nil
}
