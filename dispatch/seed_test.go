package dispatch_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/window"
)

func encoded(t *testing.T, d dispatch.Dispatch) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, d.Encode(&b))
	return b.String()
}

var four = window.Handoff{What: "w", Why: "y", Caution: "c", Incomplete: "i"}

func TestVerifierIsDispatchedWithBuilderFull(t *testing.T) {
	t.Parallel()
	require.Equal(t, `<dispatch to="verifier">
  <context-handoff from="builder" detail-level="FULL"><what>w</what><why>y</why><caution>c</caution><incomplete>i</incomplete></context-handoff>
</dispatch>
`, encoded(t, dispatch.Dispatch{To: dispatch.Verifier, Handoffs: []dispatch.Sent{
		{From: "builder", Level: window.Full, Handoff: four},
	}}))
}

func TestCommitterIsDispatchedWithVerifierFullAndBuilderSummary(t *testing.T) {
	t.Parallel()
	require.Equal(t, `<dispatch to="committer">
  <context-handoff from="verifier" detail-level="FULL"><what>w</what><why>y</why><caution>c</caution><incomplete>i</incomplete></context-handoff>
  <context-handoff from="builder" detail-level="SUMMARY"><what>w</what></context-handoff>
</dispatch>
`, encoded(t, dispatch.Dispatch{To: dispatch.Committer, Handoffs: []dispatch.Sent{
		{From: "verifier", Level: window.Full, Handoff: four},
		{From: "builder", Level: window.Summary, Handoff: four.Trim(window.Summary)},
	}}))
}

func TestNextTaskIsDispatchedWithItsDependenciesByDistance(t *testing.T) {
	t.Parallel()
	require.Equal(t, `<dispatch to="builder" task="TASK-33">
  <previous-results>
    <context-handoff from="prev-task" task="TASK-22" detail-level="FULL"><what>w</what><why>y</why><caution>c</caution><incomplete>i</incomplete></context-handoff>
    <context-handoff from="prev-prev-task" task="TASK-11" detail-level="SUMMARY"><what>w</what></context-handoff>
  </previous-results>
</dispatch>
`, encoded(t, dispatch.Dispatch{To: dispatch.Builder, Task: "TASK-33", Handoffs: []dispatch.Sent{
		{From: "prev-task", Task: "TASK-22", Distance: 1, Level: window.Full, Handoff: four},
		{From: "prev-prev-task", Task: "TASK-11", Distance: 2, Level: window.Summary, Handoff: four.Trim(window.Summary)},
		{From: "ancestor", Task: "TASK-01", Distance: 3, Level: window.Drop, Handoff: four.Trim(window.Drop)},
	}}))
}

func TestRetryCarriesTheReasonAndTheExistingProgressFile(t *testing.T) {
	t.Parallel()
	require.Equal(t, `<dispatch to="builder" work="WORK-01" task="TASK-03" attempt="2">
  <task-spec><file>tasks/TASK-03.md</file><title>Log in with a password</title><action>implement</action><description># TASK-03: Log in</description></task-spec>
  <retry attempt="2" of="3" stage="committer"><reason>no files changed</reason><failure-details><failure check="progress.md"><error>no files changed</error><file>a.go</file><suggested-fix>list them</suggested-fix></failure></failure-details><progress file="tasks/TASK-03_progress.md">- Status: COMPLETED</progress></retry>
</dispatch>
`, encoded(t, dispatch.Dispatch{
		To: dispatch.Builder, Work: "WORK-01", Task: "TASK-03", Attempt: 2,
		Spec: dispatch.Spec{File: "tasks/TASK-03.md", Title: "Log in with a password", Action: "implement", Description: "# TASK-03: Log in\n"},
		Retry: &dispatch.Retry{
			Attempt: 2, Of: 3, Stage: "committer", Reason: "no files changed",
			Failures: []dispatch.Failure{{Check: "progress.md", Error: "no files changed", Files: []string{"a.go"}, Fix: "list them"}},
			Progress: &dispatch.Progress{File: "tasks/TASK-03_progress.md", Text: "- Status: COMPLETED\n"},
		},
	}))
}

func TestRetryAfterAVerifierOrAConflictSaysSo(t *testing.T) {
	t.Parallel()
	require.Equal(t, `<dispatch to="builder">
  <retry attempt="3" of="3" stage="landing"><reason>r</reason><context-handoff from="verifier" detail-level="FULL"><what>w</what><why/><caution/><incomplete>None</incomplete></context-handoff><conflict with="TASK-05"><file>a.go</file></conflict><earlier-diff file="/s/d.diff"/></retry>
</dispatch>
`, encoded(t, dispatch.Dispatch{To: dispatch.Builder, Retry: &dispatch.Retry{
		Attempt: 3, Of: 3, Stage: "landing", Reason: "r", Handoff: &window.Handoff{What: "w"},
		Conflict: &dispatch.Conflict{With: "TASK-05", Files: []string{"a.go"}, EarlierDiff: "/s/d.diff"},
	}}))
}

func TestEmptyIncompleteIsWrittenNone(t *testing.T) {
	t.Parallel()
	require.Contains(t, encoded(t, dispatch.Dispatch{To: dispatch.Verifier, Handoffs: []dispatch.Sent{
		{From: "builder", Level: window.Full, Handoff: window.Handoff{What: "w", Incomplete: " \n"}},
	}}), "<incomplete>None</incomplete>")
}

// The two outputs of the contract, as a builder and a verifier would fill them.
func TestResultsOfBuilderAndVerifierAreRead(t *testing.T) {
	t.Parallel()
	for _, agent := range []dispatch.Stage{dispatch.Builder, dispatch.Verifier} {
		got, err := dispatch.ParseResult([]byte(`<task-result status="PASS">
  <context-handoff from="`+string(agent)+`" detail-level="FULL">
    <what>Changes made</what><why>Rationale</why><caution>Caveats</caution><incomplete>Incomplete items</incomplete>
  </context-handoff>
</task-result>`), dispatch.Expect{Task: "TASK-03", Agent: agent})
		require.NoError(t, err)
		require.Equal(t, dispatch.Result{
			Task: "TASK-03", Agent: agent, Status: dispatch.Pass,
			Handoff: &window.Handoff{What: "Changes made", Why: "Rationale", Caution: "Caveats", Incomplete: "Incomplete items"},
		}, got)
	}
}

func TestResultIsWrittenAsTheSchemaShows(t *testing.T) {
	t.Parallel()
	const want = `<task-result work="WORK-01" task="TASK-03" agent="builder" status="PASS">
  <summary>s</summary>
  <files-changed><file action="created" path="auth/login.go">n</file></files-changed>
  <self-check><check name="build" status="PASS"/></self-check>
  <verification><check name="tests" status="PASS" count="12">t</check></verification>
  <failure-details><failure check="tests"><error>e</error><file>f</file><suggested-fix>x</suggested-fix></failure></failure-details>
  <notes>n</notes>
  <context-handoff from="builder" detail-level="FULL"><what>w</what><why>y</why><caution>c</caution><incomplete>None</incomplete></context-handoff>
  <commit><hash>h</hash><message>m</message><type>feat</type></commit>
</task-result>
`
	r, err := dispatch.ParseResult([]byte(want), dispatch.Expect{})
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, r.Encode(&b))
	require.Equal(t, want, b.String())
}
