package agentlog

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxText  = 64 << 10 // of an event, in bytes
	maxName  = 200      // of a session, a model, a tool
	maxInput = 1000     // of a tool's input
)

// styled is a terminal's control sequence.
var styled = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]")

// clean makes a text fit for an event.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, styled.ReplaceAllString(cut(s, maxText), ""))
}

// name makes a name fit for an event: one line, bounded.
func name(s string) string { return cut(oneLine(s), maxName) }

func oneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, styled.ReplaceAllString(strings.ToValidUTF8(s, "\uFFFD"), "")))
}

// cut shortens a text to n bytes at most, at the boundary of a rune.
func cut(s string, n int) string {
	s = strings.ToValidUTF8(s[:min(len(s), n+utf8.UTFMax)], "\uFFFD")
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// telling are the fields of a tool's input that say what it is about.
var telling = []string{"file_path", "filePath", "path", "absolute_path", "notebook_path", "command", "cmd", "pattern", "query", "url", "prompt"}

// summary is a tool's input in one line.
func summary(input json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) == nil {
		for _, key := range telling {
			var one string
			if raw, ok := fields[key]; ok && json.Unmarshal(raw, &one) == nil && one != "" {
				return cut(oneLine(one), maxInput)
			}
			var many []string
			if raw, ok := fields[key]; ok && json.Unmarshal(raw, &many) == nil && len(many) > 0 {
				return cut(oneLine(strings.Join(many, " ")), maxInput)
			}
		}
		if len(fields) == 0 {
			return ""
		}
	}
	var compact bytes.Buffer
	if json.Compact(&compact, input) != nil {
		return ""
	}
	return cut(oneLine(compact.String()), maxInput)
}

// content is a message's content: a text, or a list of parts.
type content []part

type part struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`     // claude
	Arguments json.RawMessage `json:"arguments"` // pi
	Content   content         `json:"content"`   // of a tool's result
	IsError   bool            `json:"is_error"`
}

// UnmarshalJSON never fails: what is neither a text nor a list of parts is empty.
func (c *content) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*c = content{{Type: "text", Text: s}}
		return nil
	}
	var parts []part
	if decode(b, &parts) {
		*c = parts
	}
	return nil
}

// text is all text of a message.
func (c content) text() string {
	var b strings.Builder
	for _, p := range c {
		if p.Type == "text" {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}
