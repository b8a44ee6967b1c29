package agentlog

import (
	"encoding/json"
	"strings"
)

// readGemini reads a line of `gemini -o stream-json`.
func readGemini(r *Reader, line []byte) {
	var l struct {
		Type       string          `json:"type"`
		SessionID  string          `json:"session_id"`
		Model      string          `json:"model"`
		Role       string          `json:"role"`
		Content    string          `json:"content"`
		Delta      bool            `json:"delta"`
		Tool       string          `json:"tool_name"`
		Parameters json.RawMessage `json:"parameters"`
		Status     string          `json:"status"`
		Output     string          `json:"output"`
		Error      struct {
			Message string `json:"message"`
			Code    int    `json:"code"`
		} `json:"error"`
		Stats struct {
			Input  int64 `json:"input_tokens"`
			Output int64 `json:"output_tokens"`
		} `json:"stats"`
	}
	if !decode(line, &l) {
		return
	}
	switch l.Type {
	case "init":
		r.started(l.SessionID, l.Model)
	case "message":
		if l.Role == "user" {
			r.asked(l.Content)
			r.whole()
			return
		}
		if !l.Delta {
			r.whole()
		}
		r.says(l.Content)
	case "tool_use":
		r.calls(l.Tool, l.Parameters)
	case "tool_result":
		r.whole()
		r.returned(l.Status == "success", or(l.Output, l.Error.Message))
		if strings.Contains(strings.ToLower(l.Error.Message), "denied by policy") {
			r.denied("", text(l.Error.Message))
		}
	case "error":
		r.fails(classify(l.Error.Code, or(l.Error.Message, l.Content)))
	case "result":
		r.uses(l.Stats.Input, l.Stats.Output, 0)
		r.fails(nil)
		if l.Status != "success" {
			r.fails(classify(l.Error.Code, or(l.Error.Message, "it ended with an error")))
		}
		r.ends()
	}
}
