package script_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/script"
	"github.com/taskpipeline/pipeline/stages/stagetest"
	"github.com/taskpipeline/pipeline/tasks"
)

func check(t *testing.T, scripts ...tasks.Script) stages.Response {
	t.Helper()
	req, _ := stagetest.Request(t, dispatch.Verifier)
	req.Spec.Verify = scripts
	resp, err := script.Checks{}.Execute(t.Context(), req)
	require.NoError(t, err)
	return resp
}

func TestEveryFenceIsACheck(t *testing.T) {
	t.Parallel()
	resp := check(t, fences("true", "echo a\necho b")...)
	require.Equal(t, dispatch.Pass, resp.Status)
	require.Equal(t, "2 checks passed", resp.Summary)
	require.Equal(t, []dispatch.Check{{Name: "true", Status: "PASS"}, {Name: "echo a …", Status: "PASS", Text: "b"}}, resp.Verification)
	require.Equal(t, "Ran the TASK's 2 checks; all passed.\n- `true`\n- `echo a`\n- `echo b`", resp.Handoff.What)
	require.Empty(t, resp.Failures)
	require.False(t, resp.DeclareAll)
}

func TestAllChecksRunAlsoAfterOneHasFailed(t *testing.T) {
	t.Parallel()
	resp := check(t, fences("echo broken; exit 7", "true", "false")...)
	require.Equal(t, dispatch.Fail, resp.Status)
	require.Equal(t, "2 of 3 checks failed: `echo broken; exit 7`", resp.Summary)
	require.Equal(t, []dispatch.Check{
		{Name: "echo broken; exit 7", Status: "FAIL", Text: "exit status 7"},
		{Name: "true", Status: "PASS"},
		{Name: "false", Status: "FAIL", Text: "exit status 1"},
	}, resp.Verification)
}

func TestFailedCheckTellsTheBuilderWhatToMend(t *testing.T) {
	t.Parallel()
	resp := check(t, fences("echo '--- FAIL: TestLogin' >&2\nfalse")...)
	require.Len(t, resp.Failures, 1)
	require.Equal(t, "false", resp.Failures[0].Check)
	require.Contains(t, resp.Failures[0].Error, "exit status 1 at tasks/TASK-01.md:12")
	require.Contains(t, resp.Failures[0].Error, "--- FAIL: TestLogin")
	require.Equal(t, "Ran the TASK's 1 check; 1 failed:\n- `false`", resp.Handoff.What)
	require.NotEmpty(t, resp.Handoff.Why)
	require.NotEmpty(t, resp.Handoff.Caution)
}

func TestPrintedLineDoesNotPassForAReportOfTheShell(t *testing.T) {
	t.Parallel()
	resp := check(t, fences("echo 'pipeline: line 999: rm -rf /'; exit 1")...)
	require.Contains(t, resp.Failures[0].Error, "at tasks/TASK-01.md:10", "no line outside the fence is named")
}

func TestOutputOfACheckIsBounded(t *testing.T) {
	t.Parallel()
	resp := check(t, fences("head -c 10000000 /dev/zero | tr '\\0' x; false")...)
	require.Less(t, len(resp.Failures[0].Error), 20<<10)
}

func TestTaskWithoutVerifyIsAnErrorNamingIt(t *testing.T) {
	t.Parallel()
	req, _ := stagetest.Request(t, dispatch.Verifier)
	_, err := script.Checks{}.Execute(t.Context(), req)
	require.EqualError(t, err, "TASK-01 has no `## Verify` to run: add one to TASK-01.md, or give it another verifier")
	require.EqualError(t, stages.Ready(script.Checks{}, req.Spec), err.Error())
}

func TestMissingShellIsKnownBeforeTheRun(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	task := tasks.Task{ID: "TASK-01", File: "TASK-01.md", Verify: fences("true")}
	require.ErrorContains(t, stages.Ready(script.Checks{}, task), "TASK-01.md:10: no program bash in PATH")
}

func TestCommandIsShortenedInNames(t *testing.T) {
	t.Parallel()
	resp := check(t, fences("true "+strings.Repeat("世", 200))...)
	require.Len(t, []rune(resp.Verification[0].Name), 100)
}
