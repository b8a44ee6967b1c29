package agent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/agent"
)

func TestReplyIsParsedAgainstTheTypeOfTheStage(t *testing.T) {
	t.Parallel()
	for stage, c := range map[dispatch.Stage]struct{ reply, shape string }{
		dispatch.Builder:  {built("done"), `"changed_files"`},
		dispatch.Verifier: {approved, `"approved"`},
	} {
		d := at(t, "claude", stage).says(c.reply)
		resp := d.does()
		d.verdict(resp, dispatch.Pass, "")
		require.Contains(t, d.calls()[0].Stdin, c.shape)
		require.JSONEq(t, c.reply, string(resp.Envelope))
		require.JSONEq(t, c.reply, d.kept("envelope.json"), "captured, validated, persisted by code")
	}
}

func TestInvalidReplyIsCorrectedInTheSameSession(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).says("I am done.", `{"summary":"s"}`, built("third"))
	d.verdict(d.does(), dispatch.Pass, "third")
	calls := d.calls()
	require.Len(t, calls, 3)
	id := option(calls[0].Args, "--session-id")
	require.NotEmpty(t, id)
	for _, c := range calls[1:] {
		require.True(t, c.has("--resume", id), "a cold restart would throw the context away: %v", c.Args)
		require.Contains(t, c.Stdin, "This is a correction")
		require.Contains(t, c.Stdin, "What you did so far is on disk")
		require.Less(t, strings.Index(c.Stdin, "- status: string, required"), strings.Index(c.Stdin, "- commit_message"), "names the fields in order")
		require.NotContains(t, c.Stdin, "Build what `dispatch` describes", "it asks for the reply only")
	}
	require.Contains(t, calls[1].Stdin, "there is no JSON object in the reply")
	require.Contains(t, calls[2].Stdin, "status: missing")
}

func TestThirdInvalidReplyFailsTheStage(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).says("one", "two", "three", built("too late"))
	resp := d.does()
	d.verdict(resp, dispatch.Fail, "builder never produced valid BuildOutput JSON: there is no JSON object in the reply")
	require.Equal(t, "three", resp.Failures[0].Error)
	require.Len(t, d.calls(), 3)
}

func TestEveryReplyIsOnRecordAlsoAnInvalidOne(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).says(strings.Repeat("x", 5000)+"the end", built("good"))
	d.does()
	replies := d.told("agent_replied")
	require.Len(t, replies, 2)
	require.Equal(t, false, replies[0].Data["valid"])
	require.Equal(t, "there is no JSON object in the reply", replies[0].Data["error"])
	tail := replies[0].Data["tail"].(string)
	require.Len(t, []rune(tail), 2000)
	require.True(t, strings.HasSuffix(tail, "the end"))
	require.Equal(t, true, replies[1].Data["valid"])

	var kinds []string
	for line := range strings.Lines(d.kept("raw_output.jsonl")) {
		var l struct{ Type string }
		require.NoError(t, json.Unmarshal([]byte(line), &l), "%s", line)
		kinds = append(kinds, l.Type)
	}
	require.Equal(t, "pipeline_send system assistant result pipeline_reply pipeline_send system assistant result pipeline_reply", strings.Join(kinds, " "))
}

func TestGateViolationIsCorrectedAsManyTimesAsRetriesSay(t *testing.T) {
	t.Parallel()
	claims := built("s", "changed_files", `["a.go"]`)
	d := at(t, "claude", dispatch.Builder).says(claims, claims, built("too late"))
	resp := d.does()
	d.verdict(resp, dispatch.Fail, "builder failed gates after 2 attempt(s): a.go: not changed")
	require.Equal(t, dispatch.Failure{Check: "changes_in_diff", Error: "a.go: not changed"}, resp.Failures[0])
	calls := d.calls()
	require.Len(t, calls, 2)
	require.Contains(t, calls[1].Stdin, "- a.go: not changed")
	require.True(t, calls[1].has("--resume", option(calls[0].Args, "--session-id")))

	d = at(t, "claude", dispatch.Builder).will(turn{Say: claims}, turn{Write: map[string]string{"a.go": "x"}, Say: claims})
	d.verdict(d.does(), dispatch.Pass, "s")

	d = at(t, "claude", dispatch.Builder).says(claims)
	d.exec.Retries = 0
	d.verdict(d.does(), dispatch.Fail, "failed gates after 1 attempt(s)")
}

func TestChecksOfGatesAreOnRecordAlsoGreenOnes(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).will(turn{Write: map[string]string{"a.go": "x"}, Say: built("s", "changed_files", `["a.go"]`)})
	d.does()
	gates, err := json.Marshal(d.told("agent_replied")[0].Data["gates"])
	require.NoError(t, err)
	require.JSONEq(t, `[{"gate":"changes_in_diff","item":"a.go","ok":true},{"gate":"nothing_committed","item":"HEAD","ok":true}]`, string(gates))
}

func TestFormIsCorrectedAnewAfterACorrectionOfGates(t *testing.T) {
	t.Parallel()
	claims := built("s", "changed_files", `["a.go"]`)
	d := at(t, "claude", dispatch.Builder).says("1", "2", claims, "4", "5", built("sixth"))
	d.verdict(d.does(), dispatch.Pass, "sixth")
	require.Len(t, d.calls(), 6)
}

func TestFailIsTheAgentsOwnVerdict(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).says(`{"status":"fail","summary":"the API is gone","changed_files":["never.go"]}`)
	d.verdict(d.does(), dispatch.Fail, "the API is gone")
	require.Len(t, d.calls(), 1)
	require.Empty(t, d.told("agent_replied")[0].Data["gates"])
	require.Contains(t, d.kept("envelope.json"), "the API is gone")
}

func TestFencedReplyWithProseAroundItNeedsOneSend(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).says("Done {really}:\n```json\n" + built("fenced") + "\n```\nThat is all.")
	d.verdict(d.does(), dispatch.Pass, "fenced")
	require.Len(t, d.calls(), 1)
}

func TestVerifierThatDoesNotApproveFailsTheStage(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Verifier).says(`{"status":"success","summary":"not yet","approved":false,"blocking":["add a test"],"findings":[{"requirement":"it logs in","met":false,"evidence":"no route"}]}`)
	resp := d.does()
	d.verdict(resp, dispatch.Fail, "not yet")
	require.Equal(t, []dispatch.Failure{{Check: "review", Error: "add a test"}, {Check: "it logs in", Error: "no route"}}, resp.Failures)
}

func TestApprovalThatContradictsItselfIsCorrected(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Verifier).says(`{"status":"success","approved":true,"blocking":["a test"]}`, approved)
	d.verdict(d.does(), dispatch.Pass, "")
	require.Contains(t, d.calls()[1].Stdin, "approved is true, and something must change")
}

func TestReplyInXMLEndsInTheSameResult(t *testing.T) {
	t.Parallel()
	const reply = `<task-result status="PASS"><summary>done</summary><context-handoff><what>the form</what></context-handoff></task-result>`
	d := at(t, "claude", dispatch.Builder).says("no element", reply)
	d.exec.Form = agent.XML
	resp := d.does()
	d.verdict(resp, dispatch.Pass, "done")
	require.Equal(t, "the form", resp.Handoff.What)
	require.Equal(t, reply, string(resp.Printed))
	require.Contains(t, d.calls()[1].Stdin, "This is a correction")
}

func TestCommandRepliesInJSONAndIsAskedAgain(t *testing.T) {
	t.Parallel()
	d := at(t, "", dispatch.Builder).says("nothing", built("by a program"))
	d.verdict(d.does(), dispatch.Pass, "by a program")
	calls := d.calls()
	require.Len(t, calls, 2)
	require.Equal(t, calls[0].env("PIPELINE_AGENT_SESSION"), calls[1].env("PIPELINE_AGENT_SESSION"))
	require.Contains(t, calls[0].Stdin, "BuildOutput")
}

func TestCommitMessageOfABuilderIsTheCommits(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).says(built("s", "commit_message", `"feat: log in"`))
	require.Equal(t, "feat: log in", d.does().Commit.Message)
	d = at(t, "claude", dispatch.Builder).says(built("s", "commit_message", `" \n "`))
	require.Nil(t, d.does().Commit, "blank counts as empty")
}

func TestProgressIsWrittenFromBuildOutputWhereTheAgentLeftNone(t *testing.T) {
	t.Parallel()
	claims := built("s", "changed_files", `["a.go"]`)
	d := at(t, "claude", dispatch.Builder).will(turn{Write: map[string]string{"a.go": "x"}, Say: claims})
	resp := d.does()
	require.Equal(t, "<!-- from BuildOutput -->", strings.SplitN(text(d.req.Progress), "\n", 2)[0])
	require.Contains(t, text(d.req.Progress), "`a.go`")
	require.Contains(t, strings.Join(resp.Warnings, " "), "progress.md was written from BuildOutput")

	d.attempt(2)
	d.will(turn{Write: map[string]string{"b.go": "x"}, Say: built("s", "changed_files", `["a.go","b.go"]`)})
	d.does()
	require.Contains(t, text(d.req.Progress), "`b.go`", "what was written for the attempt before is written anew")

	own := "# mine\n\n- Status: IN_PROGRESS\n"
	d = at(t, "claude", dispatch.Builder).will(turn{Write: map[string]string{"a.go": "x", "tasks/TASK-01_progress.md": own}, Say: claims})
	d.does()
	require.Equal(t, own, text(d.req.Progress), "what the agent wrote stays")

	for _, reply := range []string{built("nothing changed"), `{"status":"fail","changed_files":["a.go"]}`} {
		d = at(t, "claude", dispatch.Builder).will(turn{Write: map[string]string{"a.go": "x"}, Say: reply})
		d.does()
		require.NoFileExists(t, d.req.Progress)
	}
}

func TestDeniedToolIsOnRecord(t *testing.T) {
	t.Parallel()
	claims := built("s", "changed_files", `["a.go"]`)
	d := at(t, "claude", dispatch.Builder).will(turn{Denied: "Write", Say: claims}, turn{Denied: "Write", Say: claims})
	d.verdict(d.does(), dispatch.Fail, "a.go: not changed")
	require.Contains(t, d.told("warning")[0].Text, "was not allowed: Write secret.txt")
}

func TestWhatTheAgentDoesIsToldLive(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).will(turn{Tool: "Edit", Say: built("s")})
	d.does()
	require.Equal(t, "Edit a.txt", d.told("agent_tool")[0].Text)
	require.Contains(t, d.told("agent_text")[0].Text, "success")
}

func TestMissingProgramIsAnErrorAndNoAttempt(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder)
	d.exec.CLI = "codex"
	_, err := d.exec.Execute(t.Context(), d.req)
	require.EqualError(t, err, `executor "mine": there is no program codex: install its CLI, or put it in PATH`)
}

func TestBudgetIsLookedAtBeforeEachSend(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).will(turn{Say: "no JSON", USD: 0.6}, turn{Say: built("late"), USD: 1.2})
	d.exec.Budget = &agent.Budget{USD: 0.5}
	resp := d.does()
	require.Equal(t, &stages.Wait{Budget: true, Reason: "budget.usd is reached: $0.60 of $0.50", State: resp.Wait.State}, resp.Wait)
	require.Len(t, d.calls(), 1)

	d.exec.Budget = &agent.Budget{USD: 5}
	d.req.Resume = resp.Wait.State
	d.verdict(d.does(), dispatch.Pass, "late")
	require.Contains(t, d.calls()[1].Stdin, "This is a correction", "it goes on where it stood")
}

func TestBudgetInDollarsWarnsOfAnAgentThatTellsNoCost(t *testing.T) {
	t.Parallel()
	d := at(t, "codex", dispatch.Builder).will(turn{Say: built("s"), Session: "1"}, turn{Say: built("s"), Session: "1"})
	d.exec.Budget = &agent.Budget{USD: 1}
	d.does()
	d.attempt(2)
	d.does()
	warnings := d.told("warning")
	require.Len(t, warnings, 1, "once")
	require.Equal(t, "budget.usd does not bound codex, which does not say what it costs; budget.tokens does", warnings[0].Text)
	d = at(t, "claude", dispatch.Builder).says(built("s"))
	d.exec.Budget = &agent.Budget{USD: 1}
	d.does()
	require.Empty(t, d.told("warning"))
}

func TestUsageIsSummedOverAllSends(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).will(turn{Say: "no JSON", USD: 0.25, Tokens: 10}, turn{Say: built("s"), USD: 0.75, Tokens: 5})
	resp := d.does()
	require.Equal(t, stages.Usage{Sends: 2, InputTokens: 15, OutputTokens: 15, USD: 0.75}, resp.Usage, "claude counts dollars over its session")

	d.attempt(2)
	d.will(turn{Say: built("again"), USD: 1, Tokens: 1})
	require.Equal(t, stages.Usage{Sends: 1, InputTokens: 1, OutputTokens: 1, USD: 0.25}, d.does().Usage)
}

func TestProcessThatHangsAfterItsReplyIsEnded(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).will(turn{Say: built("replied"), Hang: true})
	d.exec.Linger = time.Millisecond
	d.verdict(d.does(), dispatch.Pass, "replied")
}

func TestUsageOfAnotherSessionIsNotTakenOff(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Builder).will(turn{Say: built("s"), USD: 1}, turn{Say: built("s"), USD: 1.5}, turn{Say: built("s"), USD: 0.25})
	d.does()
	d.exec.Fresh = true
	d.attempt(2)
	require.InDelta(t, 1.5, d.does().Usage.USD, 1e-9)
	d.exec.Fresh = false
	d.attempt(3)
	require.InDelta(t, 0.25, d.does().Usage.USD, 1e-9, "the count began anew")
}

func TestRefusalWithoutAReasonIsCorrected(t *testing.T) {
	t.Parallel()
	d := at(t, "claude", dispatch.Verifier).says(`{"status":"success","approved":false}`, `{"status":"success","approved":false,"summary":"no test"}`)
	d.verdict(d.does(), dispatch.Fail, "no test")
	require.Contains(t, d.calls()[1].Stdin, "nothing says why")
}

func TestEventsOfOneSendAreBounded(t *testing.T) {
	t.Parallel()
	call := `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Read","input":{"file_path":"a"}}]}}` + "\n"
	d := at(t, "claude", dispatch.Builder).will(turn{Raw: strings.Repeat(call, 2500) + `{"type":"result","is_error":false,"result":"{\"status\":\"success\"}"}` + "\n"})
	d.verdict(d.does(), dispatch.Pass, "")
	require.Len(t, d.told("agent_tool"), 1999)
	require.Equal(t, "after 2000 steps of the agent the rest stands in raw_output.jsonl only", d.told("warning")[0].Text)
}

func TestLinkDoesNotLeadProgressOutOfTheWorkspace(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	d := at(t, "claude", dispatch.Builder).will(turn{Write: map[string]string{"a.go": "x"}, Say: built("s", "changed_files", `["a.go"]`)})
	require.NoError(t, os.RemoveAll(filepath.Dir(d.req.Progress)))
	require.NoError(t, os.Symlink(outside, filepath.Dir(d.req.Progress)))
	d.does()
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, entries)
}
