package agent_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/taskpipeline/pipeline/stages/stagetest"
)

// fakeVar names the folder from which this test binary, called as an agent's
// CLI, takes what it is to do. Which CLI it plays is the name it is called by.
const fakeVar = "AGENT_TEST_FAKE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(fakeVar); dir != "" {
		os.Exit(fake{dir, filepath.Base(os.Args[0])}.play())
	}
	goleak.VerifyTestMain(m)
}

// turn is what a fake agent does when it is called.
type turn struct {
	Write   map[string]string // files, by path from its working directory or absolute
	Tool    string            // a tool that it says it calls
	Denied  string            // a tool that it says was not allowed
	Say     string            // its final text
	Session string            // the id that it mints
	USD     float64           // what it says it has cost
	Tokens  int64             // of input; as many of output

	Status  int    // of the provider's answer, instead of a text
	Message string // what the provider said
	Stderr  string
	Exit    int
	Silent  bool   // its stream ends before its last word
	Hang    bool   // it does not end
	Raw     string // printed as it is, instead of everything
}

// called is what a fake agent was called with.
type called struct {
	Name  string
	Args  []string
	Stdin string
	Env   []string
	Dir   string
	Map   string // agent_map.json of the session, as it was then
}

type fake struct{ dir, name string }

func (f fake) play() int {
	stdin := must(io.ReadAll(os.Stdin))
	n := f.log(called{f.name, os.Args[1:], string(stdin), os.Environ(), must(os.Getwd()), text(filepath.Join(filepath.Dir(os.Getenv("PIPELINE_CONTEXT_HANDOFF_DIR")), "agent_map.json"))})
	var t turn
	raw, err := os.ReadFile(f.file("turn", n))
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(os.Stderr, "call %d was not expected\n", n)
		return 99
	}
	check(err)
	check(json.Unmarshal(raw, &t))
	for path, content := range t.Write {
		check(os.MkdirAll(filepath.Dir(path), 0o755))
		check(os.WriteFile(path, []byte(content), 0o644))
	}
	fmt.Fprint(os.Stderr, t.Stderr)
	if t.Raw != "" {
		fmt.Print(t.Raw)
	} else if t.Stderr == "" || t.Exit == 0 {
		f.stream(t)
	}
	if t.Hang {
		if alive := os.Getenv(stagetest.AliveVar); alive != "" {
			must(os.OpenFile(alive, os.O_WRONLY, 0))
		}
		select {}
	}
	return t.Exit
}

func (f fake) file(kind string, n int) string {
	return filepath.Join(f.dir, fmt.Sprintf("%s-%03d.json", kind, n))
}

// log keeps a call under the next free number.
func (f fake) log(c called) int {
	for n := 1; ; n++ {
		file, err := os.OpenFile(f.file("call", n), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		check(err)
		check(json.NewEncoder(file).Encode(c))
		check(file.Close())
		return n
	}
}

// option is the value behind a flag.
func option(args []string, flag string) string {
	for i, a := range args[:max(len(args)-1, 0)] {
		if a == flag {
			return args[i+1]
		}
	}
	return ""
}

// stream prints what the CLI of that name prints.
func (f fake) stream(t turn) {
	type m = map[string]any
	out := func(v m) { fmt.Println(string(must(json.Marshal(v)))) }
	args := os.Args[1:]
	failed := t.Status != 0
	switch f.name {
	case "claude":
		id := option(args, "--session-id") + option(args, "--resume")
		out(m{"type": "system", "subtype": "init", "session_id": id, "model": "m"})
		if t.Tool != "" {
			out(m{"type": "assistant", "message": m{"content": []m{{"type": "tool_use", "name": t.Tool, "input": m{"file_path": "a.txt"}}}}})
		}
		if !failed {
			out(m{"type": "assistant", "message": m{"content": []m{{"type": "text", "text": t.Say}}}})
		}
		if t.Silent {
			return
		}
		result := m{"type": "result", "subtype": "success", "is_error": failed, "session_id": id, "total_cost_usd": t.USD, "usage": m{"input_tokens": t.Tokens, "output_tokens": t.Tokens}}
		if failed {
			result["api_error_status"], result["result"] = t.Status, t.Message
		} else {
			result["result"] = t.Say
		}
		if t.Denied != "" {
			result["permission_denials"] = []m{{"tool_name": t.Denied, "tool_input": m{"file_path": "secret.txt"}}}
		}
		out(result)
	case "codex":
		out(m{"type": "thread.started", "thread_id": t.Session})
		if failed {
			out(m{"type": "turn.failed", "error": m{"message": fmt.Sprintf("unexpected status %d: %s", t.Status, t.Message)}})
			return
		}
		out(m{"type": "item.completed", "item": m{"type": "agent_message", "text": t.Say}})
		out(m{"type": "turn.completed", "usage": m{"input_tokens": t.Tokens, "output_tokens": t.Tokens}})
	case "gemini":
		out(m{"type": "init", "session_id": option(args, "--session-id") + option(args, "--resume"), "model": "m"})
		out(m{"type": "message", "role": "assistant", "content": t.Say, "delta": true})
		out(m{"type": "result", "status": "success", "stats": m{"input_tokens": t.Tokens, "output_tokens": t.Tokens}})
	case "opencode":
		out(m{"type": "text", "sessionID": t.Session, "part": m{"text": t.Say}})
		out(m{"type": "step_finish", "sessionID": t.Session, "part": m{"reason": "stop", "tokens": m{"input": t.Tokens, "output": t.Tokens}, "cost": t.USD}})
	case "pi":
		out(m{"type": "session", "id": option(args, "--session-id")})
		out(m{"type": "message_end", "message": m{"role": "assistant", "stopReason": "stop", "content": []m{{"type": "text", "text": t.Say}}}})
		out(m{"type": "agent_settled"})
	default:
		fmt.Print(t.Say)
	}
}

// calls are what a fake was called with so far, in order.
func calls(t testing.TB, dir string) []called {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "call-*.json"))
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(names)
	out := make([]called, len(names))
	for i, name := range names {
		if err := json.Unmarshal([]byte(text(name)), &out[i]); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// text is a file's content, "" if it is not there.
func text(path string) string {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return string(must(b, err))
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// has reports whether args hold a flag with that value.
func (c called) has(flag, value string) bool { return option(c.Args, flag) == value }

func (c called) env(key string) string {
	for _, entry := range c.Env {
		if value, ok := strings.CutPrefix(entry, key+"="); ok {
			return value
		}
	}
	return ""
}
