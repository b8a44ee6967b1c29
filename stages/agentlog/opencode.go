package agentlog

import (
	"encoding/json"
	"strings"
)

// readOpenCode reads a line of `opencode run --format json`.
func readOpenCode(r *Reader, line []byte) {
	var l struct {
		Type      string `json:"type"`
		SessionID string `json:"sessionID"`
		Part      struct {
			Text  string `json:"text"`
			Tool  string `json:"tool"`
			State struct {
				Status string          `json:"status"`
				Input  json.RawMessage `json:"input"`
				Output string          `json:"output"`
				Error  string          `json:"error"`
			} `json:"state"`
			Reason string  `json:"reason"`
			Cost   float64 `json:"cost"`
			Tokens struct {
				Input  int64 `json:"input"`
				Output int64 `json:"output"`
				Cache  struct {
					Read  int64 `json:"read"`
					Write int64 `json:"write"`
				} `json:"cache"`
			} `json:"tokens"`
		} `json:"part"`
		Error struct {
			Name string `json:"name"`
			Data struct {
				Message string            `json:"message"`
				Status  int               `json:"statusCode"`
				Headers map[string]string `json:"responseHeaders"`
			} `json:"data"`
		} `json:"error"`
	}
	if !decode(line, &l) {
		return
	}
	r.started(l.SessionID, "")
	switch p := l.Part; l.Type {
	case "step_start":
		r.whole()
	case "text":
		r.says(p.Text)
	case "tool_use":
		r.calls(p.Tool, p.State.Input)
		r.returned(p.State.Status == "completed", or(p.State.Output, p.State.Error))
		if refusal := strings.ToLower(p.State.Error); strings.Contains(refusal, "denied") || strings.Contains(refusal, "rejected permission") || strings.Contains(refusal, "prevents you from using") {
			r.denied(p.Tool, p.State.Input)
		}
	case "step_finish":
		r.uses(p.Tokens.Input+p.Tokens.Cache.Read+p.Tokens.Cache.Write, p.Tokens.Output, p.Cost)
		switch p.Reason {
		case "tool-calls":
		case "stop":
			r.fails(nil)
			r.ends()
		default:
			r.fails(&Fault{Kind: Other, Message: "the reply is not complete: " + name(p.Reason)})
			r.ends()
		}
	case "error":
		f := classify(l.Error.Data.Status, or(l.Error.Data.Message, l.Error.Name, "it ended with an error"))
		if seconds := l.Error.Data.Headers["retry-after"]; f.After == 0 && seconds != "" {
			f.Until, f.After = comeAgain("retry-after: "+seconds, now())
		}
		r.fails(f)
	}
}
