// Package mockmodel is a model provider for tests: a server on the loopback
// that speaks the protocols of the coding agents' CLIs and says what the test
// tells it to. Of each protocol it has what those CLIs use.
package mockmodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Asked is one request, whichever protocol it came by.
type Asked struct {
	Model   string
	Users   []string // the texts of the user's turns, the earliest first
	Results int      // results of tools since the last of them
	Tools   []string // the tools that the CLI offers
	Dir     string   // the CLI's working directory, as it tells the model
}

// Prompt is what the user said last.
func (a Asked) Prompt() string {
	if len(a.Users) == 0 {
		return ""
	}
	return a.Users[len(a.Users)-1]
}

// Turns counts the user's turns that hold a text.
func (a Asked) Turns(text string) int {
	n := 0
	for _, u := range a.Users {
		if strings.Contains(u, text) {
			n++
		}
	}
	return n
}

// Reply is what the model does. The first that is set counts: Hang, Status,
// Write, Run, Text.
type Reply struct {
	Hang bool // it never answers

	Status  int // of HTTP; an error with Message
	Message string
	Header  map[string]string

	Write, Content string // a tool call that writes a file, by its path from the working directory
	Run            string // a tool call that runs a shell line
	Text           string // its last word
}

// call is a tool call in no protocol yet.
type call struct {
	name string
	args map[string]any
}

// Server is a provider. URL is its address, without a path.
type Server struct {
	URL   string
	model func(Asked) Reply

	mu    sync.Mutex
	asked []Asked
	done  chan struct{}
	n     int
}

// New starts a provider that ends with the test. model must be safe for
// concurrent use.
func New(t testing.TB, model func(Asked) Reply) *Server {
	s := &Server{model: model, done: make(chan struct{})}
	server := httptest.NewServer(s)
	s.URL = server.URL
	t.Cleanup(func() {
		close(s.done)
		server.Close()
	})
	return s
}

// Asked are the requests so far that wanted a reply of the model.
func (s *Server) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Asked(nil), s.asked...)
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	switch path := r.URL.Path; {
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/models"):
		send(w, object{"object": "list", "data": []object{{"id": "mock-model", "object": "model", "type": "model", "display_name": "mock"}}, "models": []object{}})
	case strings.HasSuffix(path, "/count_tokens"):
		send(w, object{"input_tokens": 10})
	case strings.HasSuffix(path, ":countTokens"):
		send(w, object{"totalTokens": 10})
	case strings.HasSuffix(path, "/chat/completions"):
		s.serve(w, body, chat{})
	case strings.HasSuffix(path, "/responses"):
		s.serve(w, body, responses{})
	case strings.HasSuffix(path, "/messages"):
		s.serve(w, body, messages{})
	case strings.HasSuffix(path, "enerateContent"):
		s.serve(w, body, gemini{stream: strings.HasSuffix(path, ":streamGenerateContent")})
	default:
		w.WriteHeader(http.StatusNotFound)
		send(w, object{"error": object{"message": "no such route"}})
	}
}

// protocol is what one kind of API has of its own.
type protocol interface {
	// read takes a request apart.
	read(body []byte) (a Asked, stream bool)
	// tool is the name and the arguments of a tool call.
	tool(a Asked, r Reply) call
	// write answers: with a tool call, or if it is nil with a text. id is
	// another one for each answer.
	write(w http.ResponseWriter, stream bool, model, id string, c *call, text string)
}

// workingDir finds what a CLI tells a model of where it works.
var workingDir = regexp.MustCompile(`(?:orking directory(?: is)?:?\s*|in the directory: |<cwd>)(/[^\s<"\\,]+)`)

func (s *Server) serve(w http.ResponseWriter, body []byte, p protocol) {
	a, stream := p.read(body)
	if m := workingDir.FindSubmatch(body); m != nil {
		a.Dir = strings.TrimRight(string(m[1]), ".")
	}
	s.mu.Lock()
	s.asked = append(s.asked, a)
	s.n++
	id := fmt.Sprint(s.n)
	s.mu.Unlock()
	r := s.model(a)
	switch {
	case r.Hang:
		<-s.done
	case r.Status != 0:
		for key, value := range r.Header {
			w.Header().Set(key, value)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(r.Status)
		send(w, object{"type": "error", "error": object{"type": "mock_error", "message": r.Message}})
	case r.Write != "" || r.Run != "":
		c := p.tool(a, r)
		p.write(w, stream, a.Model, id, &c, "")
	default:
		p.write(w, stream, a.Model, id, nil, r.Text)
	}
}

type object = map[string]any

func send(w io.Writer, v any) { _ = json.NewEncoder(w).Encode(v) } // the CLI is gone: nobody to tell

// events begins a stream of server-sent events.
func events(w http.ResponseWriter) func(name string, v any) {
	w.Header().Set("Content-Type", "text/event-stream")
	return func(name string, v any) {
		if name != "" {
			fmt.Fprintf(w, "event: %s\n", name)
		}
		if s, ok := v.(string); ok {
			fmt.Fprintf(w, "data: %s\n\n", s)
			return
		}
		fmt.Fprint(w, "data: ")
		send(w, v)
		fmt.Fprint(w, "\n")
	}
}

// offered is the first of the names that the CLI offers, or else the first.
func offered(a Asked, names ...string) string {
	for _, name := range names {
		for _, tool := range a.Tools {
			if tool == name {
				return name
			}
		}
	}
	return names[0]
}

// quoted is a shell word.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// writing is a shell line that writes a file.
func writing(r Reply) string {
	return fmt.Sprintf("mkdir -p \"$(dirname %s)\" && printf %%s %s > %s", quoted(r.Write), quoted(r.Content), quoted(r.Write))
}

func marshalled(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of strings
	}
	return string(b)
}

// content is a message's content: a text, or parts of which some have one.
type content string

// UnmarshalJSON never fails: what holds no text is empty.
func (c *content) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*c = content(s)
		return nil
	}
	var parts []struct{ Text string }
	if json.Unmarshal(b, &parts) == nil {
		for _, p := range parts {
			*c += content(p.Text)
		}
	}
	return nil
}

// said adds a user's turn.
func (a *Asked) said(text content) {
	if text != "" {
		a.Users, a.Results = append(a.Users, string(text)), 0
	}
}
