package mockmodel

import (
	"encoding/json"
	"net/http"
	"path/filepath"
)

// chat is the chat completions API, as pi and opencode use it.
type chat struct{}

func (chat) read(body []byte) (a Asked, stream bool) {
	var req struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role    string
			Content content
		}
		Tools []struct{ Function struct{ Name string } }
	}
	_ = json.Unmarshal(body, &req) // what it does not say is empty
	a.Model = req.Model
	for _, m := range req.Messages {
		switch m.Role {
		case "user":
			a.said(m.Content)
		case "tool":
			a.Results++
		}
	}
	for _, t := range req.Tools {
		a.Tools = append(a.Tools, t.Function.Name)
	}
	return a, req.Stream
}

func (chat) tool(a Asked, r Reply) call {
	if r.Write != "" {
		return call{"write", object{"path": r.Write, "filePath": filepath.Join(a.Dir, r.Write), "content": r.Content}}
	}
	return call{"bash", object{"command": r.Run, "description": "run it"}}
}

func (chat) write(w http.ResponseWriter, stream bool, model, id string, c *call, text string) {
	usage := object{"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
	message, end := object{"role": "assistant", "content": text}, "stop"
	if c != nil {
		end = "tool_calls"
		message["tool_calls"] = []object{{"index": 0, "id": "call_" + id, "type": "function", "function": object{"name": c.name, "arguments": marshalled(c.args)}}}
	}
	if !stream {
		send(w, object{"id": id, "object": "chat.completion", "model": model, "choices": []object{{"index": 0, "finish_reason": end, "message": message}}, "usage": usage})
		return
	}
	event := events(w)
	chunk := func(choices ...object) object {
		return object{"id": id, "object": "chat.completion.chunk", "created": 1, "model": model, "choices": choices}
	}
	event("", chunk(object{"index": 0, "delta": message, "finish_reason": nil}))
	event("", chunk(object{"index": 0, "delta": object{}, "finish_reason": end}))
	last := chunk()
	last["choices"], last["usage"] = []object{}, usage
	event("", last)
	event("", "[DONE]")
}
