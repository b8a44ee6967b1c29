//go:build agents

// The tests of this build run the real CLIs of coding agents, against a model
// of the tests' own. scripts/install-agents installs them; AGENTS names those
// to run, or all:
//
//	scripts/install-agents pi claude
//	AGENTS=pi,claude go test -tags agents -run RealAgent ./internal/endtoend

package endtoend

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/internal/mockmodel"
	"github.com/taskpipeline/pipeline/scheduler"
)

// cli is how one real CLI is pointed at the tests' model.
type cli struct {
	name  string
	model string
	env   map[string]string // PROVIDER stands for the provider's address
	home  map[string]string // files of its home
	// hasReset tells that it hands on when a provider wants to be asked again.
	hasReset bool
}

func clis() []cli {
	return []cli{
		{
			name: "claude", model: "mock-model", hasReset: true,
			env: map[string]string{"ANTHROPIC_BASE_URL": "PROVIDER", "ANTHROPIC_API_KEY": "dummy"},
		},
		{
			name: "codex",
			env:  map[string]string{"MOCK_KEY": "dummy"},
			home: map[string]string{".codex/config.toml": "model = \"mock-model\"\nmodel_provider = \"mock\"\n[model_providers.mock]\nname = \"mock\"\nbase_url = \"PROVIDER/v1\"\nwire_api = \"responses\"\nenv_key = \"MOCK_KEY\"\n"},
		},
		{
			name: "gemini", model: "gemini-2.5-flash",
			env:  map[string]string{"GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": "PROVIDER"},
			home: map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false}}`},
		},
		{
			name: "opencode", model: "mock/mock-model",
			env:  map[string]string{"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1"},
			home: map[string]string{".config/opencode/opencode.json": `{"model":"mock/mock-model","small_model":"mock/mock-model","enabled_providers":["mock"],"autoupdate":false,"share":"disabled","provider":{"mock":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"PROVIDER/v1","apiKey":"dummy"},"models":{"mock-model":{"limit":{"context":128000,"output":8192}}}}}}`},
		},
		{
			name: "pi", model: "mock/mock-model", hasReset: true,
			env:  map[string]string{"PI_OFFLINE": "1"},
			home: map[string]string{".pi/agent/models.json": `{"providers":{"mock":{"baseUrl":"PROVIDER/v1","api":"openai-completions","apiKey":"dummy","models":[{"id":"mock-model"}]}}}`},
		},
	}
}

// installed is the folder of the programs that scripts/install-agents made.
func installed(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("AGENTS_BIN")
	if dir == "" {
		dir = filepath.Join("..", "..", ".agents", "bin")
	}
	dir, err := filepath.Abs(dir)
	require.NoError(t, err)
	return dir
}

// eachRealAgent runs a test for each CLI that AGENTS names.
func eachRealAgent(t *testing.T, test func(*testing.T, cli)) {
	t.Parallel()
	wanted := os.Getenv("AGENTS")
	require.NotEmpty(t, wanted, "name the agents in AGENTS, or all")
	for _, c := range clis() {
		if wanted != "all" && !slices.Contains(strings.Split(wanted, ","), c.name) {
			continue
		}
		require.FileExists(t, filepath.Join(installed(t), c.name), "scripts/install-agents %s", c.name)
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

// The prompts that the model tells apart.
const (
	toBuild     = "# Builder Task"
	toVerify    = "# Verifier Task"
	corrected   = "This is a correction"
	interrupted = "You were interrupted"
	fileItself  = "hello.txt"
)

const (
	wasBuilt = `{"status":"success","summary":"hello is said","changed_files":["hello.txt"],"commit_message":"feat: say hello"}`
	isGood   = `{"status":"success","summary":"it says hello","approved":true}`
)

// obliging is a model that builds hello.txt and approves of it.
func obliging(a mockmodel.Asked) mockmodel.Reply {
	switch {
	case strings.Contains(a.Prompt(), toVerify):
		return mockmodel.Reply{Text: isGood}
	case a.Turns(toBuild) > 0 && a.Results == 0 && strings.Contains(a.Prompt(), toBuild):
		return mockmodel.Reply{Write: fileItself, Content: "hello\n"}
	case a.Turns(toBuild) > 0:
		return mockmodel.Reply{Text: wasBuilt}
	}
	return mockmodel.Reply{Text: "hello"} // a title, or what else a CLI wants
}

// office is a place whose TASK is built and verified by a real CLI.
type office struct {
	*place
	model *mockmodel.Server
}

func newOffice(t *testing.T, c cli, model func(mockmodel.Asked) mockmodel.Reply, settings ...string) *office {
	t.Helper()
	server := mockmodel.New(t, model)
	url := func(s string) string { return strings.ReplaceAll(s, "PROVIDER", server.URL) }
	home := t.TempDir()
	p := newPlace(t, map[string]string{
		"tasks/TASK-01.md": "# TASK-01: Say hello\n\n## Scope\n\nA greeting in hello.txt.\n",
	})
	for name, text := range c.home {
		writeFile(p, home, name, url(text))
	}
	var yaml strings.Builder
	fmt.Fprintf(&yaml, "version: 1\nisolation: worktree\nstages: {builder: it, verifier: it}\nexecutors:\n  it:\n    agent: %s\n    reply: json\n", c.name)
	if c.model != "" {
		fmt.Fprintf(&yaml, "    model: %s\n", c.model)
	}
	yaml.WriteString("    env:\n      PATH: " + installed(t) + ":/usr/local/bin:/usr/bin:/bin\n")
	for key, value := range c.env {
		fmt.Fprintf(&yaml, "      %s: %q\n", key, url(value))
	}
	for _, s := range settings {
		yaml.WriteString(s + "\n")
	}
	p.write(map[string]string{"pipeline.yaml": yaml.String()})
	p.git("add", ".")
	p.git("commit", "-q", "-m", "Configure")
	p.env = append(p.env, "HOME="+home, "TERM=dumb")
	return &office{p, server}
}

// isDone wants the TASK to be built, verified and committed.
func (o *office) isDone() {
	o.Helper()
	require.Equal(o, "hello\n", o.read(fileItself))
	require.Equal(o, "feat: say hello", o.git("log", "-1", "--format=%s"))
	require.Empty(o, o.git("status", "--porcelain", "--", fileItself))
	require.Contains(o, o.must(0, "status", "--json").stdout, `"state": "done"`)
}

// some are the events of a type.
func (o *office) some(t scheduler.Type) []scheduler.Event {
	return slices.DeleteFunc(o.events(), func(e scheduler.Event) bool { return e.Type != t })
}

func TestRealAgentBuildsATaskToACommit(t *testing.T) {
	eachRealAgent(t, func(t *testing.T, c cli) {
		o := newOffice(t, c, obliging)
		o.must(0, "run")
		o.isDone()
		sent := o.some(scheduler.AgentSent)
		require.Len(t, sent, 2, "one send for each stage")
		for _, e := range o.some(scheduler.AgentReplied) {
			require.EqualValues(t, true, e.Data["valid"])
			require.NotZero(t, e.Data["input_tokens"], "what it used up is known")
		}
		require.NotEmpty(t, o.some(scheduler.AgentTool), "its tools are seen")
	})
}

func TestRealAgentIsCorrectedInItsSession(t *testing.T) {
	eachRealAgent(t, func(t *testing.T, c cli) {
		o := newOffice(t, c, func(a mockmodel.Asked) mockmodel.Reply {
			if strings.Contains(a.Prompt(), toBuild) && a.Results > 0 {
				return mockmodel.Reply{Text: "I have said hello."}
			}
			return obliging(a)
		})
		o.must(0, "run")
		o.isDone()
		require.True(t, slices.ContainsFunc(o.model.Asked(), func(a mockmodel.Asked) bool {
			return a.Turns(toBuild) == 1 && a.Turns(corrected) == 1
		}), "the correction came into the conversation that it corrects")
	})
}

func TestRealAgentThatNeverRepliesAsAskedFailsTheStage(t *testing.T) {
	eachRealAgent(t, func(t *testing.T, c cli) {
		o := newOffice(t, c, func(a mockmodel.Asked) mockmodel.Reply {
			if a.Turns(toBuild) > 0 {
				return mockmodel.Reply{Text: "I would rather not say."}
			}
			return obliging(a)
		}, "attempts: 1")
		o.must(1, "run")
		require.Contains(t, o.some(scheduler.StageFinished)[0].Reason, "builder never produced valid BuildOutput JSON: there is no JSON object in the reply")
		require.Len(t, o.some(scheduler.AgentSent), 3, "one send and two corrections")
	})
}

func TestRealAgentWhoseRequestIsRefusedStopsTheRun(t *testing.T) {
	eachRealAgent(t, func(t *testing.T, c cli) {
		var mended atomic.Bool
		o := newOffice(t, c, func(a mockmodel.Asked) mockmodel.Reply {
			if !mended.Load() {
				return mockmodel.Reply{Status: 400, Message: "there is no such model"}
			}
			return obliging(a)
		})
		r := o.pipeline("run")
		require.Equal(t, 2, r.code, "%s%s", r.stdout, r.stderr)
		require.Contains(t, r.stdout+r.stderr, "the provider refused the request")
		require.Contains(t, r.stdout+r.stderr, "there is no such model")
		mended.Store(true)
		o.must(0, "resume")
		o.isDone()
		require.Equal(t, 1, o.some(scheduler.StageFinished)[0].Attempt, "no attempt was used up")
	})
}

// refusing answers every request with an error until the pipeline waits.
func refusing(o **office, status int, message string, header map[string]string) func(mockmodel.Asked) mockmodel.Reply {
	return func(a mockmodel.Asked) mockmodel.Reply {
		records, _ := filepath.Glob((*o).path(".pipeline/sessions/*/events.jsonl"))
		for _, record := range records {
			if b, err := os.ReadFile(record); err == nil && bytes.Contains(b, []byte(`"wait_started"`)) {
				return obliging(a)
			}
		}
		return mockmodel.Reply{Status: status, Message: message, Header: header}
	}
}

func TestRealAgentThatIsLimitedIsWaitedFor(t *testing.T) {
	eachRealAgent(t, func(t *testing.T, c cli) {
		var o *office
		o = newOffice(t, c, refusing(&o, 429, "Rate limit reached. Please try again in 3s.", map[string]string{"Retry-After": "1"}))
		began := time.Now()
		o.must(0, "run")
		o.isDone()
		wait := o.some(scheduler.WaitStarted)[0]
		require.Equal(t, scheduler.ForRateLimit, wait.For)
		require.WithinRange(t, *wait.Until, began, began.Add(10*time.Minute))
		if c.hasReset {
			require.WithinDuration(t, wait.Time.Add(3*time.Second), *wait.Until, 2*time.Second, "when the provider said")
		}
		require.Equal(t, 1, o.some(scheduler.StageFinished)[0].Attempt, "a wait is no attempt")
	})
}

func TestRealAgentWhoseProviderBreaksDownIsWaitedFor(t *testing.T) {
	eachRealAgent(t, func(t *testing.T, c cli) {
		var o *office
		o = newOffice(t, c, refusing(&o, 500, "internal error; retry after 2s", nil))
		o.must(0, "run")
		o.isDone()
		require.NotEmpty(t, o.some(scheduler.WaitStarted))
	})
}

func TestRealAgentThatHangsIsEndedAndTriedAgain(t *testing.T) {
	eachRealAgent(t, func(t *testing.T, c cli) {
		o := newOffice(t, c, func(a mockmodel.Asked) mockmodel.Reply {
			if strings.Contains(a.Prompt(), toBuild) && !strings.Contains(a.Prompt(), "<retry ") {
				return mockmodel.Reply{Hang: true}
			}
			return obliging(a)
		}, "idle_timeout: 12s")
		o.must(0, "run")
		o.isDone()
		require.Equal(t, "no output for 12s", o.some(scheduler.StageFinished)[0].Reason)
	})
}

func TestRealAgentThatIsInterruptedGoesOn(t *testing.T) {
	eachRealAgent(t, func(t *testing.T, c cli) {
		hangs := make(chan struct{}, 100)
		o := newOffice(t, c, func(a mockmodel.Asked) mockmodel.Reply {
			switch {
			case strings.Contains(a.Prompt(), toBuild) && a.Results > 0:
				hangs <- struct{}{}
				return mockmodel.Reply{Hang: true}
			case strings.Contains(a.Prompt(), interrupted):
				return mockmodel.Reply{Text: wasBuilt}
			}
			return obliging(a)
		})
		cmd := o.start(program, "run")
		require.NoError(t, cmd.Start())
		<-hangs
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		_ = cmd.Wait() // its status is below
		require.Equal(t, 143, cmd.ProcessState.ExitCode())
		o.must(0, "resume")
		o.isDone()
		require.True(t, slices.ContainsFunc(o.model.Asked(), func(a mockmodel.Asked) bool {
			return a.Turns(toBuild) == 1 && a.Turns(interrupted) == 1
		}), "it went on in its session")
	})
}

func TestRealAgentThatCouldNotWriteIsNotBelieved(t *testing.T) {
	eachRealAgent(t, func(t *testing.T, c cli) {
		o := newOffice(t, c, obliging, "    sandbox: read-only", "attempts: 1")
		o.must(1, "run")
		require.Contains(t, o.some(scheduler.StageFinished)[0].Reason, "builder failed gates after 2 attempt(s): hello.txt: not changed")
		require.NoFileExists(t, o.path(fileItself))
	})
}

func TestRealAgentThatHangsAfterItsReplyIsEnded(t *testing.T) {
	eachRealAgent(t, func(t *testing.T, c cli) {
		o := newOffice(t, c, obliging)
		slow := t.TempDir()
		writeFile(o.place, slow, c.name, fmt.Sprintf("#!/bin/sh\n%s \"$@\"\nexec sleep 600\n", filepath.Join(installed(t), c.name)))
		require.NoError(t, os.Chmod(filepath.Join(slow, c.name), 0o755))
		yaml := strings.Replace(o.read("pipeline.yaml"), "PATH: ", "PATH: "+slow+":", 1)
		o.write(map[string]string{"pipeline.yaml": yaml})
		o.git("commit", "-qam", "Slow")
		o.must(0, "run")
		o.isDone()
	})
}

func TestRealAgentCannotChangeWhatItVerifies(t *testing.T) {
	eachRealAgent(t, func(t *testing.T, c cli) {
		o := newOffice(t, c, func(a mockmodel.Asked) mockmodel.Reply {
			if strings.Contains(a.Prompt(), toVerify) {
				switch a.Results {
				case 0:
					return mockmodel.Reply{Write: "evil.txt", Content: "evil\n"}
				case 1:
					return mockmodel.Reply{Run: "echo evil > evil.txt"}
				}
			}
			return obliging(a)
		})
		o.must(0, "run")
		o.isDone()
		require.NoFileExists(t, o.path("evil.txt"))
		require.NotContains(t, o.git("show", "--stat", "HEAD"), "evil")
		verdict := o.some(scheduler.StageFinished)[1]
		require.Equal(t, "verifier", string(verdict.Stage))
		require.Equal(t, 1, verdict.Attempt)
	})
}

func TestRealAgentPlansAndBuildsItsPlan(t *testing.T) {
	eachRealAgent(t, func(t *testing.T, c cli) {
		o := newOffice(t, c, func(a mockmodel.Asked) mockmodel.Reply {
			switch {
			case a.Turns("# Planner Task") > 0 && a.Results == 0:
				return mockmodel.Reply{Write: "plan/TASK-01.md", Content: "# TASK-01: Say hello\n\n## Scope\n\nA greeting in hello.txt.\n"}
			case a.Turns("# Planner Task") > 0:
				return mockmodel.Reply{Text: `{"status":"success","summary":"one TASK","artifacts":["plan/TASK-01.md"],"commit_message":"Plan a greeting"}`}
			}
			return obliging(a)
		})
		r := o.must(0, "plan-tasks", "Say hello", "--dir", "plan", "--commit", "--run", "--session", "both")
		require.Contains(t, r.stdout, "1 TASK file written to plan")
		require.Equal(t, "feat: say hello\nPlan a greeting", o.git("log", "-2", "--format=%s"))
		require.Contains(t, o.read(".pipeline/sessions/both/agent_map.json"), `"planner"`)
		require.Contains(t, o.read(".pipeline/sessions/both/agent_map.json"), `"TASK-01-builder"`)
	})
}
