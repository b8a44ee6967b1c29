package agentlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// maxLine bounds one line of a stream, and the agent's last text, in bytes.
const maxLine = 16 << 20

// Reader reads a stream. It is not safe for concurrent use.
type Reader struct {
	see  func(Event)
	read func(*Reader, []byte)
	line []byte
	long bool // the line so far is too long
	out  Outcome

	fresh bool // the next piece of text begins the final text anew
	final strings.Builder
}

// NewReader returns a reader of c's stream. see, if not nil, is called with
// each event as its line arrives.
func NewReader(c CLI, see func(Event)) *Reader {
	if see == nil {
		see = func(Event) {}
	}
	r := &Reader{see: see, fresh: true}
	switch c {
	case Claude:
		r.read = readClaude
	case Codex:
		r.read = readCodex
	case Gemini:
		r.read = readGemini
	case OpenCode:
		r.read = readOpenCode
	case Pi:
		r.read = readPi
	default:
		r.read = func(*Reader, []byte) {}
	}
	return r
}

// Write takes the next bytes of the stream. It never fails.
func (r *Reader) Write(p []byte) (int, error) {
	n := len(p)
	for {
		head, rest, whole := bytes.Cut(p, []byte("\n"))
		switch {
		case r.long || len(r.line)+len(head) > maxLine:
			r.line, r.long = nil, true
		case whole && len(r.line) == 0:
			r.take(head) // no copy for a line that came in one piece
		default:
			r.line = append(r.line, head...)
			if whole {
				r.take(r.line)
				r.line = r.line[:0]
			}
		}
		if !whole {
			return n, nil
		}
		if r.long {
			r.out.Noise++
			r.long = false
		}
		p = rest
	}
}

// Close takes the last line, if no line feed ended it.
func (r *Reader) Close() error {
	if r.long {
		r.out.Noise++
	} else if len(r.line) > 0 {
		r.take(r.line)
	}
	r.line, r.long = nil, false
	return nil
}

// Outcome is what the stream has come to so far.
func (r *Reader) Outcome() Outcome {
	out := r.out
	if r.final.Len() > 0 {
		out.Final = r.final.String()
	}
	return out
}

func (r *Reader) take(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	if line[0] != '{' || !json.Valid(line) {
		r.out.Noise++
		return
	}
	r.read(r, line)
}

// decode reads what of a line fits v. A field of another type than is known
// stays empty.
func decode(line []byte, v any) bool {
	err := json.Unmarshal(line, v)
	return err == nil || errors.As(err, new(*json.UnmarshalTypeError))
}

// started is told of the session, as often as the stream names it.
func (r *Reader) started(session, model string) {
	session, model = or(name(session), r.out.SessionID), or(name(model), r.out.Model)
	if session == r.out.SessionID && model == r.out.Model {
		return
	}
	r.out.SessionID, r.out.Model = session, model
	r.see(Event{Kind: Started, SessionID: r.out.SessionID, Model: r.out.Model})
}

// says takes a piece of what the agent says. Pieces that follow each other are
// one text, until whole is called.
func (r *Reader) says(text string) {
	if text == "" {
		return
	}
	if r.fresh {
		r.final.Reset()
		r.fresh = false
	}
	r.out.Ended = false // whatever was taken for its last word
	if r.final.Len()+len(text) > maxLine {
		r.fails(&Fault{Kind: Other, Message: "the reply is longer than 16 MiB"})
		return
	}
	r.final.WriteString(text)
	r.see(Event{Kind: Text, Text: clean(text)})
}

// whole ends the text so far: what is said next is another one.
func (r *Reader) whole() { r.fresh = true }

func (r *Reader) asked(text string) {
	if text != "" {
		r.see(Event{Kind: UserText, Text: clean(text)})
	}
}

func (r *Reader) calls(tool string, input json.RawMessage) {
	r.whole()
	r.out.Ended = false
	r.out.Usage.Tools++
	r.see(Event{Kind: ToolCall, Tool: name(tool), Input: summary(input)})
}

func (r *Reader) returned(ok bool, text string) {
	r.see(Event{Kind: ToolResult, OK: ok, Text: clean(text)})
}

// maxDenied bounds the denials that are kept.
const maxDenied = 100

func (r *Reader) denied(tool string, input json.RawMessage) {
	if len(r.out.Denied) < maxDenied {
		r.out.Denied = append(r.out.Denied, strings.TrimSpace(name(tool)+" "+summary(input)))
	}
}

// uses counts tokens. A negative count is none.
func (r *Reader) uses(input, output int64, usd float64) {
	r.out.Usage.Input += max(input, 0)
	r.out.Usage.Output += max(output, 0)
	r.out.Usage.USD += max(usd, 0)
}

func (r *Reader) fails(f *Fault) { r.out.Fault = f }

// ends takes the stream's last word.
func (r *Reader) ends() {
	if !r.out.Ended {
		r.out.Ended = true
		r.see(Event{Kind: Ended})
	}
}

// goesOn takes back a last word after which more followed.
func (r *Reader) goesOn() { r.out.Ended, r.out.Fault = false, nil }
