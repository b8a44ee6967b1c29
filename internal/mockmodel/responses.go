package mockmodel

import (
	"encoding/json"
	"net/http"
	"strings"
)

// responses is the responses API, as codex uses it.
type responses struct{}

func (responses) read(body []byte) (a Asked, stream bool) {
	var req struct {
		Model  string
		Stream bool
		Input  []struct {
			Type    string
			Role    string
			Content content
		}
		Tools []struct{ Name, Type string }
	}
	_ = json.Unmarshal(body, &req) // what it does not say is empty
	a.Model = req.Model
	for _, i := range req.Input {
		switch {
		case i.Role == "user":
			a.said(i.Content)
		case strings.HasSuffix(i.Type, "_output"):
			a.Results++
		}
	}
	for _, t := range req.Tools {
		a.Tools = append(a.Tools, t.Name+t.Type)
		if t.Name != "" {
			a.Tools[len(a.Tools)-1] = t.Name
		}
	}
	return a, req.Stream
}

func (responses) tool(a Asked, r Reply) call {
	line := r.Run
	if r.Write != "" {
		line = writing(r)
	}
	switch name := offered(a, "exec_command", "shell_command", "shell"); name {
	case "exec_command":
		return call{name, object{"cmd": line}}
	case "shell":
		return call{name, object{"command": []string{"bash", "-lc", line}}}
	default:
		return call{name, object{"command": line}}
	}
}

func (responses) write(w http.ResponseWriter, stream bool, model, id string, c *call, text string) {
	part := object{"type": "output_text", "text": text, "annotations": []object{}}
	item := object{"type": "message", "id": "msg_" + id, "role": "assistant", "status": "completed", "content": []object{part}}
	begun := object{"type": "message", "id": "msg_" + id, "role": "assistant", "status": "in_progress", "content": []object{}}
	if c != nil {
		item = object{"type": "function_call", "id": "fc_" + id, "call_id": "call_" + id, "name": c.name, "arguments": marshalled(c.args), "status": "completed"}
		begun = object{"type": "function_call", "id": "fc_" + id, "call_id": "call_" + id, "name": c.name, "arguments": "", "status": "in_progress"}
	}
	response := func(status string, output []object, usage any) object {
		return object{"id": "resp_" + id, "object": "response", "created_at": 1, "status": status, "model": model, "output": output, "usage": usage}
	}
	whole := response("completed", []object{item}, object{
		"input_tokens": 11, "input_tokens_details": object{"cached_tokens": 0},
		"output_tokens": 7, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 18,
	})
	if !stream {
		send(w, whole)
		return
	}
	event, n := events(w), 0
	tell := func(name string, v object) {
		v["type"], v["sequence_number"] = name, n
		n++
		event(name, v)
	}
	tell("response.created", object{"response": response("in_progress", []object{}, nil)})
	tell("response.output_item.added", object{"output_index": 0, "item": begun})
	at := func(more object) object {
		more["item_id"], more["output_index"] = item["id"], 0
		return more
	}
	if c != nil {
		tell("response.function_call_arguments.delta", at(object{"delta": item["arguments"]}))
		tell("response.function_call_arguments.done", at(object{"arguments": item["arguments"]}))
	} else {
		tell("response.content_part.added", at(object{"content_index": 0, "part": object{"type": "output_text", "text": "", "annotations": []object{}}}))
		tell("response.output_text.delta", at(object{"content_index": 0, "delta": text}))
		tell("response.output_text.done", at(object{"content_index": 0, "text": text}))
		tell("response.content_part.done", at(object{"content_index": 0, "part": part}))
	}
	tell("response.output_item.done", object{"output_index": 0, "item": item})
	tell("response.completed", object{"response": whole})
}
