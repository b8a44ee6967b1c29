// Package stages defines what performs a stage of a TASK: the Executor.
//
// An Executor is the only plug of the pipeline. It is handed a Request (the
// dispatch, a workspace to work in, a Sink for what it wants recorded) and
// answers with a Response. A command, a script and an agent's CLI are
// executors in packages below this one; a Go function becomes one with Func.
// The committer is built in and cannot be replaced: see Commit.
package stages

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/progress"
	"github.com/taskpipeline/pipeline/tasks"
)

// Executor performs one stage of one TASK.
//
// The verdict, PASS or FAIL, is in the Response. A non-nil error means that
// the attempt could not be made at all (unknown program, refused request): it
// stops the run, can be resumed, and uses up no attempt. When ctx ends, an
// Executor stops its processes and returns an error that wraps ctx.Err(); the
// step is then "interrupted" and runs again on resume.
//
// An Executor must be safe for concurrent use: one value serves every TASK.
type Executor interface {
	Execute(ctx context.Context, req Request) (Response, error)
}

// Func is an ordinary function used as an Executor.
type Func func(ctx context.Context, req Request) (Response, error)

// Execute calls f.
func (f Func) Execute(ctx context.Context, req Request) (Response, error) { return f(ctx, req) }

// Hash is the hexadecimal name of a git object; "" for none.
type Hash string

// Short is the hash cut to seven digits, as people read it.
func (h Hash) Short() string {
	if len(h) > 7 {
		return string(h[:7])
	}
	return string(h)
}

// Change is one changed path of a workspace.
type Change = progress.Change

// Step names one execution of a stage.
type Step struct {
	Task    tasks.ID       `json:"task"`
	Stage   dispatch.Stage `json:"stage"`
	Attempt int            `json:"attempt"`         // from 1
	Round   int            `json:"round,omitempty"` // 0 or 1: the first; 2 and more: again, on a moved base
}

// String prints "TASK-03/builder#2", and "TASK-03/verifier#1.2" for a later round.
func (s Step) String() string {
	if s.Task == "" {
		return fmt.Sprintf("%s#%s", s.Stage, s.Number())
	}
	return fmt.Sprintf("%s/%s#%s", s.Task, s.Stage, s.Number())
}

// Number prints the attempt, and the round from the second on: "1", "1.2".
func (s Step) Number() string {
	if s.Round > 1 {
		return fmt.Sprintf("%d.%d", s.Attempt, s.Round)
	}
	return fmt.Sprint(s.Attempt)
}

// Agent is the name under which a stage of a TASK keeps its files and its
// agent's session: "TASK-03-builder"; "planner" for one that works for no TASK.
func (s Step) Agent() string {
	if s.Task == "" {
		return string(s.Stage)
	}
	return string(s.Task) + "-" + string(s.Stage)
}

// Request is everything an Executor is handed.
type Request struct {
	Step        Step
	Dispatch    dispatch.Dispatch
	Spec        tasks.Task       // the TASK itself
	Session     string           // id of the session
	Workspace   string           // absolute path of the tree to work in; the process's cwd
	Progress    string           // absolute path of progress.md; it may lie outside Workspace
	HandoffDir  string           // absolute path of context_handoff/
	Base        Hash             // commit that the workspace started from
	Snapshot    Hash             // tree that the builder left ("" for a builder)
	Changes     []Change         // what Snapshot changed against Base
	Facts       Facts            // what is true of Workspace, whatever a stage says; nil if there is no repository
	Previous    *dispatch.Result // a verifier's: the builder's; a builder's: that of the stage that failed; nil for none
	Quality     json.RawMessage  // what the project's own checks said of Snapshot, a VerifyOutput; nil if there are none
	AgentDir    string           // absolute path of the folder of this agent in the session; "" if nothing is recorded
	Env         []string         // KEY=value, added to what the executor itself passes on
	Now         time.Time        // when the step was started
	Interrupted bool             // this very step was cut off before, and goes on in the workspace as it was then
	Resume      State            // from an earlier Response.Wait; nil otherwise
	Sink        Sink             // never nil

	// Foreign names, once each time, the files of the session's folder that
	// somebody else than the pipeline has changed, but for those parts in which
	// stages may write; nil if nothing is recorded.
	Foreign func() ([]string, error)
}

// Response is an Executor's answer.
type Response struct {
	dispatch.Result
	Usage Usage

	// DeclareAll asks that progress.md be written on the builder's behalf,
	// COMPLETED and listing every path of the snapshot, unless the builder
	// wrote one itself. For executors that have no words of their own.
	DeclareAll bool

	// Printed is the task-result element as the executor printed it, kept in
	// the step's folder; nil when there was none and Result is rendered instead.
	Printed []byte

	// Wait, if set, says that nothing was decided: come again later.
	Wait *Wait
}

// State is whatever an Executor wants back with Request.Resume.
type State = json.RawMessage

// Wait asks for the same step again, not before Until, with the given State.
// What Response.Usage says was used up to here is counted, and not told again.
type Wait struct {
	Until  time.Time `json:"until"`
	Budget bool      `json:"budget,omitempty"` // not for a provider: the session may spend no more, and this run not at all
	Reason string    `json:"reason"`
	State  State     `json:"state,omitempty"`
}

// Usage is what a step cost, summed over all its sends.
type Usage struct {
	Sends        int     `json:"sends,omitempty"`
	InputTokens  int64   `json:"input_tokens,omitempty"`
	OutputTokens int64   `json:"output_tokens,omitempty"`
	USD          float64 `json:"usd,omitempty"`
}

// Plus is the sum of both.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.Sends + v.Sends, u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens, u.USD + v.USD}
}

// Sink records what a step says and does. It is safe for concurrent use.
type Sink interface {
	// Save writes a file of the step's folder, whole and durable. The name is
	// relative, slash-separated, and stays inside the folder.
	Save(name string, b []byte) error
	// Output is the step's raw output, appended live. It never returns an
	// error to the writer: what exceeds the limit is dropped and counted.
	Output() io.Writer
	// Evidence records something worth reading later; it never decides.
	Evidence(e Evidence) error
	// AgentSession is the memory of the named agent's session.
	AgentSession(name string) AgentStore
}

// Evidence is an event that no decision rests on.
type Evidence struct {
	Type string         `json:"type"` // agent_sent, agent_replied, agent_tool, agent_text, warning
	Text string         `json:"text,omitempty"`
	Data map[string]any `json:"data,omitempty"`
}

// AgentStore remembers one agent's session between steps and runs.
type AgentStore interface {
	Load() (AgentSession, bool, error)
	Store(AgentSession) error
}

// AgentSession is one entry of agent_map.json.
type AgentSession struct {
	SessionID   string `json:"session_id"`
	Model       string `json:"model"`
	CodingAgent string `json:"coding_agent"`
}

// Failed is a FAIL with a reason, for executors that decide it themselves.
func Failed(reason string, details ...dispatch.Failure) Response {
	return Response{Result: dispatch.Result{Status: dispatch.Fail, Summary: reason, Failures: details}}
}

// Discard is a Sink that keeps nothing.
var Discard Sink = discard{}

type discard struct{}

func (discard) Save(string, []byte) error         { return nil }
func (discard) Output() io.Writer                 { return io.Discard }
func (discard) Evidence(Evidence) error           { return nil }
func (discard) AgentSession(string) AgentStore    { return discard{} }
func (discard) Load() (AgentSession, bool, error) { return AgentSession{}, false, nil }
func (discard) Store(AgentSession) error          { return nil }
