package agentlog

import (
	"encoding/json"
	"strings"
)

// readCodex reads a line of `codex exec --json`. An item of type error may be
// no more than a warning, and an error may be followed by another try: a turn
// that failed tells.
func readCodex(r *Reader, line []byte) {
	var l struct {
		Type     string `json:"type"`
		ThreadID string `json:"thread_id"`
		Message  string `json:"message"`
		Item     struct {
			Type     string          `json:"type"`
			Text     string          `json:"text"`
			Command  json.RawMessage `json:"command"`
			Output   string          `json:"aggregated_output"`
			ExitCode int             `json:"exit_code"`
			Status   string          `json:"status"`
			Changes  []struct {
				Path string `json:"path"`
			} `json:"changes"`
			Tool      string          `json:"tool"`
			Arguments json.RawMessage `json:"arguments"`
			Query     string          `json:"query"`
		} `json:"item"`
		Usage struct {
			Input  int64 `json:"input_tokens"`
			Output int64 `json:"output_tokens"`
		} `json:"usage"`
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if !decode(line, &l) {
		return
	}
	switch l.Type {
	case "thread.started":
		r.started(l.ThreadID, "")
	case "turn.started":
		r.goesOn()
	case "item.started":
		switch i := l.Item; i.Type {
		case "command_execution":
			r.calls("shell", object("command", i.Command))
		case "mcp_tool_call":
			r.calls(i.Tool, i.Arguments)
		case "web_search":
			r.calls("web_search", object("query", text(i.Query)))
		}
	case "item.completed":
		switch i := l.Item; i.Type {
		case "agent_message":
			r.whole()
			r.says(i.Text)
		case "file_change":
			paths := make([]string, len(i.Changes))
			for n, c := range i.Changes {
				paths[n] = c.Path
			}
			r.calls("edit", object("path", text(strings.Join(paths, " "))))
			r.returned(i.Status == "completed", "")
		case "command_execution":
			r.returned(i.Status == "completed" && i.ExitCode == 0, i.Output)
		}
	case "turn.completed":
		r.out.Usage.Input, r.out.Usage.Output = max(l.Usage.Input, 0), max(l.Usage.Output, 0)
		r.fails(nil)
		r.ends()
	case "error":
		r.fails(codexFault(l.Message))
	case "turn.failed":
		r.fails(codexFault(or(l.Error.Message, "the turn failed")))
		r.ends()
	}
}

// codexFault reads what went wrong. An answer of the provider that is no use to
// try again is handed on as its body alone.
func codexFault(message string) *Fault {
	f := classify(0, message)
	if f.Kind == Other && strings.HasPrefix(strings.TrimSpace(message), "{") {
		f.Kind = Refused
	}
	return f
}

func text(s string) json.RawMessage {
	b, _ := json.Marshal(s) // a string can be marshalled
	return b
}

// object is a tool's input of one field.
func object(key string, value json.RawMessage) json.RawMessage {
	b, err := json.Marshal(map[string]json.RawMessage{key: value})
	if err != nil {
		return nil
	}
	return b
}
