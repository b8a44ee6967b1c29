package agent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/agent"
)

// remembered is the desk's entry in agent_map.json.
func (d *desk) remembered() stages.AgentSession {
	d.t.Helper()
	entry, ok, err := d.session.Agent(d.req.Step.Agent()).Load()
	require.NoError(d.t, err)
	require.True(d.t, ok)
	return entry
}

func TestSecondAttemptContinuesTheAgentsOwnSession(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).says(`{"status":"fail"}`, built("better"))
	d.does()
	d.attempt(2)
	d.does()
	calls := d.calls()
	require.True(t, calls[1].has("--resume", option(calls[0].Args, "--session-id")), "%v", calls[1].Args)
	require.Contains(t, calls[1].Stdin, "# Builder Task", "it is told of the new attempt in full")
}

func TestFreshBeginsEachAttemptInASessionOfItsOwn(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).says("no JSON", built("one"), built("two"))
	d.exec.Fresh = true
	d.does()
	d.attempt(2)
	d.does()
	calls := d.calls()
	first, second := option(calls[0].Args, "--session-id"), option(calls[2].Args, "--session-id")
	require.True(t, calls[1].has("--resume", first), "a correction stays in the session")
	require.NotEmpty(t, second)
	require.NotEqual(t, first, second)
	require.Equal(t, second, d.remembered().SessionID)
}

func TestSessionIsOnRecordBeforeTheAgentIsAsked(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).says(built("s"))
	d.exec.Model = "opus"
	d.does()
	call := d.calls()[0]
	var entries map[string]map[string]string
	require.NoError(t, json.Unmarshal([]byte(call.Map), &entries), "what the agent saw: %s", call.Map)
	require.Equal(t, map[string]map[string]string{
		"TASK-01-builder": {"session_id": option(call.Args, "--session-id"), "model": "opus", "coding_agent": "claude"},
	}, entries)
}

func TestIDThatTheCLIMakesIsOnRecordAsSoonAsItIsTold(t *testing.T) {
	t.Parallel()
	for _, cli := range []string{"codex", "opencode"} {
		d := at(t, cli, dispatch.Builder).will(turn{Say: "no JSON", Session: "minted-7"}, turn{Say: built("s"), Session: "minted-7"})
		d.does()
		require.Equal(t, stages.AgentSession{SessionID: "minted-7", CodingAgent: cli}, d.remembered())
		require.Contains(t, d.calls()[1].Args, "minted-7")
	}
}

func TestAnotherModelOrAgentBeginsAFreshSession(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).says(built("one"), built("two"))
	d.exec.Model = "opus"
	d.does()
	d.attempt(2)
	d.exec.Model = "haiku"
	d.does()
	calls := d.calls()
	require.NotEmpty(t, option(calls[1].Args, "--session-id"), "never a bad resume")
	require.NotEqual(t, option(calls[0].Args, "--session-id"), option(calls[1].Args, "--session-id"))
	require.Equal(t, "haiku", d.remembered().Model)

	d = at(t, "claude", dispatch.Builder).says(built("s"))
	require.NoError(t, d.session.Agent("TASK-01-builder").Store(stages.AgentSession{SessionID: "of-codex", CodingAgent: "codex"}))
	d.does()
	require.NotContains(t, d.calls()[0].Args, "of-codex")
	require.Equal(t, "claude", d.remembered().CodingAgent)
}

func TestSessionThatTheCLIDoesNotKnowIsReplacedOnce(t *testing.T) {
	t.Parallel()
	gone := turn{Stderr: "No conversation found with session ID: x\n", Exit: 1}
	d := at(t, "claude", dispatch.Builder).says(built("one")).will(gone, turn{Say: built("two")})
	d.does()
	d.attempt(2)
	d.verdict(d.does(), dispatch.Pass, "two")
	calls := d.calls()
	require.Len(t, calls, 3)
	require.NotEmpty(t, option(calls[2].Args, "--session-id"))
	require.NotEqual(t, option(calls[0].Args, "--session-id"), option(calls[2].Args, "--session-id"))
	require.Contains(t, calls[2].Stdin, "# Builder Task")
	require.Equal(t, option(calls[2].Args, "--session-id"), d.remembered().SessionID)

	d = at(t, "claude", dispatch.Builder).says(built("one")).will(gone, gone)
	d.does()
	d.attempt(2)
	d.verdict(d.does(), dispatch.Fail, "No conversation found")
	require.Len(t, d.calls(), 3)
}

func TestCorrectionInAFreshSessionTellsTheWholeTask(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).says("no JSON").will(turn{Stderr: "No conversation found with session ID: x\n", Exit: 1}, turn{Say: built("s")})
	d.verdict(d.does(), dispatch.Pass, "s")
	last := d.calls()[2].Stdin
	require.Contains(t, last, "# Builder Task")
	require.Contains(t, last, "This is a correction")
}

func TestSessionThatTheCLIHasAlreadyIsGoneOnWith(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).will(turn{Stderr: "Error: Session ID x is already in use.\n", Exit: 1}, turn{Say: built("s")})
	d.verdict(d.does(), dispatch.Pass, "s")
	calls := d.calls()
	require.True(t, calls[1].has("--resume", option(calls[0].Args, "--session-id")))
}

func TestRuinedAgentMapIsAnErrorAndIsKept(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).says(built("s"))
	path := filepath.Join(d.session.Dir, "agent_map.json")
	require.NoError(t, os.WriteFile(path, []byte("{ruined"), 0o644))
	_, err := d.exec.Execute(t.Context(), d.req)
	require.ErrorContains(t, err, "agent_map.json")
	require.Equal(t, "{ruined", text(path))
	require.Empty(t, d.calls())
}

// cut runs the stage and ends it when evidence of that kind is recorded.
func (d *desk) cut(at string) {
	d.t.Helper()
	d.req.Sink = cutting{d.req.Sink, at}
	_, err := d.exec.Execute(d.t.(*testing.T).Context(), d.req)
	require.ErrorIs(d.t, err, errCut)
	d.attempt(d.req.Step.Attempt)
	d.req.Interrupted = true
}

func TestInterruptedAgentGoesOnInItsSession(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).will(turn{Say: "on my way", Silent: true, Tool: "Edit"}, turn{Say: built("s")})
	d.cut("agent_text")
	d.verdict(d.does(), dispatch.Pass, "s")
	calls := d.calls()
	require.Len(t, calls, 2)
	require.True(t, calls[1].has("--resume", option(calls[0].Args, "--session-id")))
	require.Contains(t, calls[1].Stdin, "You were interrupted. What you did so far is on disk.")
	require.NotContains(t, calls[1].Stdin, "# Builder Task")
}

func TestReplyThatWasCompleteWhenTheRunWasCutOffIsTaken(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).will(turn{Say: built("complete"), Tool: "Edit"})
	d.cut("agent_replied")
	d.verdict(d.does(), dispatch.Pass, "complete")
	require.Len(t, d.calls(), 1, "it is not asked again")
}

func TestEachSendHasAFileOfItsOwn(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).says("no JSON", built("s"), built("again"))
	d.does()
	d.attempt(2)
	d.does()
	calls := d.calls()
	for i, c := range calls {
		require.Equal(t, c.Stdin, d.kept(filepath.Join("prompts", []string{"0001", "0002", "0003"}[i]+"-user.md")))
		require.Equal(t, option(c.Args, "--append-system-prompt"), d.kept(filepath.Join("prompts", []string{"0001", "0002", "0003"}[i]+"-system.md")))
	}
}

func TestVerifierMayOnlyRead(t *testing.T) {
	t.Parallel()
	for cli, readOnly := range map[string]func(called) bool{
		"claude":   func(c called) bool { return c.has("--tools", "Read,Grep,Glob") },
		"codex":    func(c called) bool { return c.has("-c", `sandbox_mode="read-only"`) },
		"gemini":   func(c called) bool { return c.has("--approval-mode", "plan") },
		"opencode": func(c called) bool { return c.env("OPENCODE_PERMISSION") == `{"edit":"deny","bash":"deny"}` },
		"pi":       func(c called) bool { return c.has("--tools", "read,grep,find,ls") },
	} {
		verifier := at(t, cli, dispatch.Verifier).will(turn{Say: approved, Session: "s"})
		verifier.does()
		require.True(t, readOnly(verifier.calls()[0]), "%s: %v", cli, verifier.calls()[0].Args)
		builder := at(t, cli, dispatch.Builder).will(turn{Say: built("s"), Session: "s"})
		builder.does()
		require.False(t, readOnly(builder.calls()[0]), "%s", cli)
	}
}

func TestAgentSeesNothingOfTheEnvironmentThatItIsNotGiven(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).says(built("s"))
	d.exec.Environ = append(d.exec.Environ, "GITHUB_TOKEN=secret")
	d.exec.Env["MINE"] = "given"
	d.does()
	c := d.calls()[0]
	require.Empty(t, c.env("GITHUB_TOKEN"))
	require.Equal(t, "given", c.env("MINE"))
	require.Equal(t, d.req.Workspace, c.Dir)
	require.Equal(t, d.req.HandoffDir, c.env("PIPELINE_CONTEXT_HANDOFF_DIR"))
}

func TestEveryAgentContinuesWhenItWasCutOff(t *testing.T) {
	t.Parallel()
	require.True(t, stages.Continues(agent.Executor{}))
}

func TestEachCLIIsCalledAsItNeeds(t *testing.T) {
	t.Parallel()
	for cli, c := range map[string]struct{ first, again []string }{
		"claude":   {[]string{"-p", "--output-format", "stream-json", "--verbose", "--session-id", "ID"}, []string{"--resume", "ID"}},
		"codex":    {[]string{"exec", "--json", "-c", `sandbox_mode="workspace-write"`, "-"}, []string{"exec", "resume", "minted", "--json", "-c", `sandbox_mode="workspace-write"`, "-"}},
		"gemini":   {[]string{"-o", "stream-json", "--session-id", "ID", "--approval-mode", "auto_edit"}, []string{"--resume", "ID"}},
		"opencode": {[]string{"run", "--format", "json"}, []string{"-s", "minted"}},
		"pi":       {[]string{"-p", "--mode", "json", "--session-id", "ID", "--session-dir", "STATE"}, []string{"--session-id", "ID", "--session-dir", "STATE"}},
	} {
		d := at(t, cli, dispatch.Builder).will(turn{Say: "no JSON", Session: "minted"}, turn{Say: built("s"), Session: "minted"})
		d.exec.Args = []string{"--mine"}
		d.does()
		calls := d.calls()
		for i, want := range [][]string{c.first, c.again} {
			for n := range want {
				want[n] = strings.NewReplacer("ID", d.req.AgentSession(), "STATE", filepath.Join(d.req.AgentDir, "agent_sessions")).Replace(want[n])
			}
			require.Subset(t, calls[i].Args, want, "%s, send %d", cli, i+1)
			require.Equal(t, "--mine", calls[i].Args[len(calls[i].Args)-1], cli)
		}
		prompt := calls[0].Stdin
		require.Contains(t, prompt+option(calls[0].Args, "--append-system-prompt"), "You build one TASK", "%s: the system prompt reaches it", cli)
	}
}

func TestFreshHoldsForTheStartOfAnAttemptOnly(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(*desk){
		"interrupted":  func(d *desk) { d.req.Interrupted = true },
		"after a wait": func(d *desk) { d.req.Resume = stages.State(`{"kind":"first"}`) },
		"a later round": func(d *desk) {
			d.req.Step.Round = 2
		},
	} {
		d := at(t, "claude", dispatch.Verifier).says(approved, approved)
		d.exec.Fresh = true
		d.does()
		d.attempt(1)
		again(d)
		if name == "interrupted" {
			require.NoError(t, os.Remove(filepath.Join(d.req.AgentDir, "raw_output.jsonl")))
		}
		d.does()
		calls := d.calls()
		require.Len(t, calls, 2, name)
		require.True(t, calls[1].has("--resume", option(calls[0].Args, "--session-id")), "%s: %v", name, calls[1].Args)
	}
}

func TestReplyOfAnEarlierAttemptIsNotTaken(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).says(`{"status":"fail"}`, built("second"))
	d.does()
	d.attempt(2)
	d.req.Interrupted = true // before anything was sent
	d.verdict(d.does(), dispatch.Pass, "second")
	require.Len(t, d.calls(), 2)
}

func TestErrorThatWasCompleteWhenTheRunWasCutOffIsNoReply(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).will(turn{Raw: `{"type":"system","subtype":"init","session_id":"7"}
{"type":"assistant","message":{"content":[{"type":"text","text":"{\"status\":\"success\"}"}]}}
{"type":"result","is_error":true,"result":"overloaded"}
`}, turn{Say: built("then")})
	d.cut("agent_replied")
	d.verdict(d.does(), dispatch.Pass, "then")
	require.Len(t, d.calls(), 2)
}
