package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/envelope"
	"github.com/taskpipeline/pipeline/tasks"
)

// Form is how an agent writes its reply.
type Form string

// The forms. Both end in the same dispatch.Result.
const (
	XML  Form = "xml"  // a <task-result>
	JSON Form = "json" // the stage's output type
)

// Executor performs stages by an agent. One of CLI and Command is required.
type Executor struct {
	Name    string   // what the configuration calls it; for messages
	CLI     string   // one of CLIs()
	Command []string // a program that reads a prompt and prints a reply; JSON
	Root    string   // where a Command given as a relative path is

	Model   string            // "" for the CLI's own choice
	Args    []string          // added to the CLI's
	Sandbox string            // "read-only" keeps it from changing anything; codex has other modes; "" for what the stage needs
	Env     map[string]string // added to the environment
	Environ []string          // where the variables that every stage may see come from; nil means os.Environ()

	Form    Form            // "" means XML for a CLI
	Retries int             // corrections after gates refused a reply
	Gates   []string        // "x" adds a gate, "-x" leaves one out
	Fresh   bool            // a new session of the agent for each attempt
	Prompts fs.FS           // own templates: <role>/system.md and <role>/user.md; nil for the defaults
	Tests   [][]string      // commands of the gate tests_pass
	Checks  []envelope.Gate // gates of the caller's own, after the others
	Budget  *Budget         // shared by all executors of a session; nil for none

	Grace  time.Duration // between SIGTERM and SIGKILL; 0 means 10 s
	Linger time.Duration // for a process to end after its reply; 0 means 10 s
	Limit  int           // bytes of a command's reply that are kept; 0 means 64 MiB
}

const (
	defaultLinger = 10 * time.Second
	defaultLimit  = 64 << 20
)

// Execute performs a stage: it calls the agent with the stage's prompt and
// output type.
func (e Executor) Execute(ctx context.Context, req stages.Request) (stages.Response, error) {
	role, err := roleOf(string(req.Step.Stage))
	if err != nil {
		return stages.Response{}, fmt.Errorf("%s: %w", e, err)
	}
	return e.call(ctx, req, role, "")
}

// Call asks an agent for one thing outside of a TASK's stages, such as a plan:
// role names the prompts and the output type, prompt is what is wanted. The
// envelope is nil unless the response is a PASS.
func (e Executor) Call(ctx context.Context, req stages.Request, role, prompt string) (envelope.Envelope, stages.Response, error) {
	r, err := roleOf(role)
	if err != nil {
		return nil, stages.Response{}, fmt.Errorf("%s: %w", e, err)
	}
	e.Form = JSON
	resp, err := e.call(ctx, req, r, prompt)
	if err != nil || resp.Envelope == nil || resp.Status != "PASS" {
		return nil, resp, err
	}
	env, err := envelope.Parse(r.output, resp.Envelope)
	return env, resp, err
}

func (e Executor) call(ctx context.Context, req stages.Request, r role, prompt string) (stages.Response, error) {
	if err := ctx.Err(); err != nil {
		return stages.Response{}, err
	}
	c, err := e.begin(ctx, req, r, prompt)
	if err != nil {
		return stages.Response{}, fmt.Errorf("%s: %w", e, err)
	}
	resp, err := c.converse(ctx)
	resp.Usage = c.usage
	if err != nil {
		return resp, fmt.Errorf("%s: %w", e, err)
	}
	return resp, nil
}

// Continues reports that an agent which was cut off goes on in its session.
func (e Executor) Continues() bool { return true }

// Ready reports whether the agent's program is there; see stages.Ready.
func (e Executor) Ready(tasks.Task) error {
	if _, err := e.program(); err != nil {
		return fmt.Errorf("%s: %w", e, err)
	}
	if e.Prompts != nil {
		if err := checkTemplates(e.Prompts); err != nil {
			return fmt.Errorf("%s: %w", e, err)
		}
	}
	for _, r := range roles() {
		if _, err := envelope.Choose(r.output, e.Gates); err != nil {
			return fmt.Errorf("%s: %w", e, err)
		}
	}
	return nil
}

// String prints `executor "mine"`, as messages name it.
func (e Executor) String() string {
	return fmt.Sprintf("executor %q", cmp.Or(e.Name, e.CLI, strings.Join(e.Command, " ")))
}

// codingAgent is what agent_map.json calls the agent.
func (e Executor) codingAgent() string {
	if e.CLI != "" {
		return e.CLI
	}
	return "command " + strings.Join(e.Command, " ")
}

func (e Executor) form() Form {
	if e.CLI == "" {
		return JSON
	}
	return cmp.Or(e.Form, XML)
}

// program is the absolute path of what is run. A name is looked up in the PATH
// that the agent itself is given.
func (e Executor) program() (string, error) {
	if e.CLI == "" && len(e.Command) == 0 {
		return "", errors.New("neither an agent nor a command is named")
	}
	name := ""
	if e.CLI == "" {
		name = e.Command[0]
	} else if a, ok := adapters()[e.CLI]; ok {
		name = a.program
	} else {
		return "", fmt.Errorf("agent %q is not known; known are %s", e.CLI, strings.Join(CLIs(), ", "))
	}
	if strings.Contains(name, "/") && !filepath.IsAbs(name) {
		name = filepath.Join(e.Root, name)
	}
	path := lookPath(name, e.environ(nil))
	if path == "" {
		what := "install it, or correct `command` in pipeline.yaml"
		if e.CLI != "" {
			what = "install its CLI, or put it in PATH"
		}
		return "", fmt.Errorf("there is no program %s: %s", name, what)
	}
	return path, nil
}

// lookPath finds a program as a process with that environment would.
func lookPath(name string, environ []string) string {
	if strings.Contains(name, "/") {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
		return ""
	}
	dirs := ""
	for _, entry := range environ {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			dirs = value
		}
	}
	for _, dir := range filepath.SplitList(dirs) {
		if !filepath.IsAbs(dir) {
			continue // never from the workspace
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return ""
}

// begin looks up all that a conversation needs.
func (e Executor) begin(ctx context.Context, req stages.Request, r role, prompt string) (*conversation, error) {
	program, err := e.program()
	if err != nil {
		return nil, err
	}
	gates, err := envelope.Choose(r.output, e.Gates)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(gates, func(g envelope.Gate) bool { return g.Name == "tests_pass" }); i >= 0 && len(e.Tests) > 0 {
		gates = slices.Concat(gates[:i], testGates(e.Tests), gates[i+1:])
	}
	gates = append(gates, e.Checks...)
	c := &conversation{Executor: e, program: program, req: req, role: r, gates: gates, asked: prompt}
	if e.CLI == "" {
		c.adapter = commandAdapter(e.Command)
	} else {
		c.adapter = adapters()[e.CLI]
	}
	if c.book, err = openBook(req); err != nil {
		return nil, err
	}
	if c.session, err = c.remembered(); err != nil {
		return nil, err
	}
	if c.total, err = c.lastTotal(); err != nil {
		return nil, err
	}
	if err := c.describe(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// testGates are one gate for each command of the project's own tests.
func testGates(commands [][]string) []envelope.Gate {
	var out []envelope.Gate
	for _, argv := range commands {
		out = append(out, envelope.TestsPass(argv...))
	}
	return out
}

// state is where a conversation stands; it travels in a Wait.
type state struct {
	Kind      kind   `json:"kind"`                 // of the send to make
	Text      string `json:"text,omitempty"`       // a correction; "" for the whole prompt
	Why       string `json:"why,omitempty"`        // for people; "" for the whole prompt
	Fixes     int    `json:"fixes,omitempty"`      // corrections of form since the last one of gates
	GateFixes int    `json:"gate_fixes,omitempty"` // corrections after gates refused
	Refused   int    `json:"refused,omitempty"`    // sends in a row that the provider did not take
}

// kind is why something is sent.
type kind string

const (
	first       kind = "first"       // the whole prompt
	fix         kind = "fix"         // a correction of the reply's form
	byGates     kind = "gates"       // a correction of what gates found
	interrupted kind = "interrupted" // going on after having been cut off
)

func (s state) encode() stages.State {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // plain data
	}
	return b
}
