package agentlog

import "encoding/json"

// readClaude reads a line of `claude -p --output-format stream-json --verbose`.
// Its result names a subtype of success after an error of the provider too:
// is_error tells.
func readClaude(r *Reader, line []byte) {
	var l struct {
		Type        string `json:"type"`
		Subtype     string `json:"subtype"`
		SessionID   string `json:"session_id"`
		Model       string `json:"model"`
		Parent      string `json:"parent_tool_use_id"`
		ErrorStatus int    `json:"error_status"`
		Message     struct {
			Content content `json:"content"`
		} `json:"message"`
		claudeResult
		RateLimit struct {
			Status   string `json:"status"`
			ResetsAt int64  `json:"resetsAt"`
		} `json:"rate_limit_info"`
	}
	if !decode(line, &l) {
		return
	}
	switch l.Type {
	case "system":
		switch l.Subtype {
		case "init":
			r.started(l.SessionID, l.Model)
		case "api_retry":
			r.fails(classify(l.ErrorStatus, "the provider answered with an error"))
		}
	case "rate_limit_event":
		if l.RateLimit.Status == "rejected" {
			r.fails(&Fault{Kind: RateLimited, Message: "the usage limit is reached", Until: epoch(l.RateLimit.ResetsAt)})
		}
	case "assistant":
		if l.Parent != "" { // of an agent below it
			return
		}
		r.whole()
		for _, p := range l.Message.Content {
			switch p.Type {
			case "text":
				r.says(p.Text)
			case "tool_use":
				r.calls(p.Name, p.Input)
			}
		}
	case "user":
		for _, p := range l.Message.Content {
			if p.Type == "tool_result" {
				r.returned(!p.IsError, p.Content.text())
			}
		}
	case "result":
		r.claudeEnds(l.SessionID, l.claudeResult)
	}
}

type claudeResult struct {
	IsError  bool    `json:"is_error"`
	Status   int     `json:"api_error_status"`
	Result   string  `json:"result"`
	USD      float64 `json:"total_cost_usd"`
	Terminal string  `json:"terminal_reason"`
	Usage    struct {
		Input  int64 `json:"input_tokens"`
		Read   int64 `json:"cache_read_input_tokens"`
		Create int64 `json:"cache_creation_input_tokens"`
		Output int64 `json:"output_tokens"`
	} `json:"usage"`
	Denials []struct {
		Tool  string          `json:"tool_name"`
		Input json.RawMessage `json:"tool_input"`
	} `json:"permission_denials"`
}

func (r *Reader) claudeEnds(session string, l claudeResult) {
	r.started(session, "")
	r.uses(l.Usage.Input+l.Usage.Read+l.Usage.Create, l.Usage.Output, l.USD)
	for _, d := range l.Denials {
		r.denied(d.Tool, d.Input)
	}
	limit := r.out.Fault
	r.fails(nil)
	if l.IsError {
		f := classify(l.Status, or(l.Result, l.Terminal, "it ended with an error"))
		if limit != nil && limit.Kind == f.Kind && f.Until.IsZero() {
			f.Until = limit.Until
		}
		r.fails(f)
	} else if l.Result != "" {
		r.final.Reset()
		r.final.WriteString(l.Result)
	}
	r.ends()
}

// or is the first text that is not empty.
func or(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}
