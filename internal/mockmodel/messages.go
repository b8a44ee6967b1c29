package mockmodel

import (
	"encoding/json"
	"net/http"
	"path/filepath"
)

// messages is the messages API, as claude uses it.
type messages struct{}

func (messages) read(body []byte) (a Asked, stream bool) {
	var req struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct{ Name string }
	}
	_ = json.Unmarshal(body, &req) // what it does not say is empty
	a.Model = req.Model
	for _, m := range req.Messages {
		if m.Role != "user" {
			continue
		}
		var parts []struct{ Type string }
		_ = json.Unmarshal(m.Content, &parts) // a text has none
		results := 0
		for _, p := range parts {
			if p.Type == "tool_result" {
				results++
			}
		}
		if results > 0 {
			a.Results += results
			continue
		}
		var text content
		_ = json.Unmarshal(m.Content, &text) // see content
		a.said(text)
	}
	for _, t := range req.Tools {
		a.Tools = append(a.Tools, t.Name)
	}
	return a, req.Stream
}

func (messages) tool(a Asked, r Reply) call {
	if r.Write != "" {
		return call{"Write", object{"file_path": filepath.Join(a.Dir, r.Write), "content": r.Content}}
	}
	return call{"Bash", object{"command": r.Run, "description": "run it"}}
}

func (messages) write(w http.ResponseWriter, stream bool, model, id string, c *call, text string) {
	block, empty, delta, end := object{"type": "text", "text": text}, object{"type": "text", "text": ""}, object{"type": "text_delta", "text": text}, "end_turn"
	if c != nil {
		block = object{"type": "tool_use", "id": "toolu_" + id, "name": c.name, "input": c.args}
		empty = object{"type": "tool_use", "id": "toolu_" + id, "name": c.name, "input": object{}}
		delta, end = object{"type": "input_json_delta", "partial_json": marshalled(c.args)}, "tool_use"
	}
	message := object{"id": "msg_" + id, "type": "message", "role": "assistant", "model": model, "content": []object{block}, "stop_reason": end, "stop_sequence": nil, "usage": object{"input_tokens": 11, "output_tokens": 7}}
	if !stream {
		send(w, message)
		return
	}
	event := events(w)
	message["content"], message["stop_reason"] = []object{}, nil
	event("message_start", object{"type": "message_start", "message": message})
	event("content_block_start", object{"type": "content_block_start", "index": 0, "content_block": empty})
	event("content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": delta})
	event("content_block_stop", object{"type": "content_block_stop", "index": 0})
	event("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": end, "stop_sequence": nil}, "usage": object{"output_tokens": 7}})
	event("message_stop", object{"type": "message_stop"})
}
