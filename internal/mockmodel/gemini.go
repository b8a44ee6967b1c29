package mockmodel

import (
	"encoding/json"
	"net/http"
)

// gemini is the generateContent API, as gemini uses it.
type gemini struct{ stream bool }

func (g gemini) read(body []byte) (a Asked, stream bool) {
	var req struct {
		Contents []struct {
			Role  string
			Parts []struct {
				Text             string
				FunctionResponse json.RawMessage
			}
		}
		Tools []struct{ FunctionDeclarations []struct{ Name string } }
	}
	_ = json.Unmarshal(body, &req) // what it does not say is empty
	for _, c := range req.Contents {
		if c.Role != "user" {
			continue
		}
		var text content
		for _, p := range c.Parts {
			if p.FunctionResponse != nil {
				a.Results++
			}
			text += content(p.Text)
		}
		a.said(text)
	}
	for _, t := range req.Tools {
		for _, f := range t.FunctionDeclarations {
			a.Tools = append(a.Tools, f.Name)
		}
	}
	return a, g.stream
}

func (gemini) tool(_ Asked, r Reply) call {
	if r.Write != "" {
		return call{"write_file", object{"file_path": r.Write, "content": r.Content}}
	}
	return call{"run_shell_command", object{"command": r.Run, "description": "run it"}}
}

func (gemini) write(w http.ResponseWriter, stream bool, model, id string, c *call, text string) {
	part := object{"text": text}
	if c != nil {
		part = object{"functionCall": object{"id": "call_" + id, "name": c.name, "args": c.args}}
	}
	out := object{
		"candidates":    []object{{"index": 0, "content": object{"role": "model", "parts": []object{part}}, "finishReason": "STOP"}},
		"usageMetadata": object{"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18}, "modelVersion": model, "responseId": "r" + id,
	}
	if !stream {
		send(w, out)
		return
	}
	events(w)("", out)
}
