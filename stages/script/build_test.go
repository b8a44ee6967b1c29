package script_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/script"
	"github.com/taskpipeline/pipeline/stages/stagetest"
	"github.com/taskpipeline/pipeline/tasks"
)

func build(t *testing.T, scripts ...tasks.Script) (stages.Response, stages.Request) {
	t.Helper()
	req, _ := stagetest.Request(t, dispatch.Builder)
	req.Spec.Build = scripts
	resp, err := script.Build{}.Execute(t.Context(), req)
	require.NoError(t, err)
	return resp, req
}

func TestFencesRunInOrderInTheWorkspace(t *testing.T) {
	t.Parallel()
	resp, req := build(t, fences("echo one >>log", "echo two >>log; pwd >>log")...)
	require.Equal(t, dispatch.Pass, resp.Status)
	log, err := os.ReadFile(filepath.Join(req.Workspace, "log"))
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\n"+req.Workspace+"\n", string(log))
}

func TestPassingBuildHasProgressWrittenForIt(t *testing.T) {
	t.Parallel()
	resp, _ := build(t, fences("true")...)
	require.True(t, resp.DeclareAll)
}

func TestHandoffOfABuildSaysWhatRan(t *testing.T) {
	t.Parallel()
	resp, _ := build(t, fences("# a comment\ngo generate ./auth || true\n\ntrue", "echo 3\necho 4\necho 5")...)
	require.Equal(t, "Say hello: ran the commands of `## Build`\n"+
		"- `go generate ./auth || true`\n- `true`\n- `echo 3`\nand 2 more", resp.Handoff.What)
	require.Equal(t, "None", resp.Handoff.Incomplete)
	require.Len(t, resp.SelfCheck, 2)
	require.Equal(t, tasks.ID("TASK-01"), resp.Task)
	require.Equal(t, dispatch.Builder, resp.Agent)
}

func TestBuildStopsAtTheFirstFenceThatFails(t *testing.T) {
	t.Parallel()
	resp, req := build(t, fences("echo fine", "echo before; exit 4", "touch after")...)
	require.Equal(t, dispatch.Fail, resp.Status)
	require.Equal(t, "`echo before; exit 4`: exit status 4", resp.Summary)
	require.False(t, resp.DeclareAll)
	require.NoFileExists(t, filepath.Join(req.Workspace, "after"))
}

func TestFailureNamesTheCommandItsLineAndTheEndOfTheOutput(t *testing.T) {
	t.Parallel()
	resp, _ := build(t, fences("for i in $(seq 100); do echo line $i; done\ncd .\nls /no/such/place\ntouch after")...)
	require.Equal(t, dispatch.Fail, resp.Status)
	require.Regexp(t, "^`ls /no/such/place`: exit status [12]$", resp.Summary)
	require.Len(t, resp.Failures, 1)
	require.Equal(t, "ls /no/such/place", resp.Failures[0].Check)
	require.Contains(t, resp.Failures[0].Error, "at tasks/TASK-01.md:13")
	require.Contains(t, resp.Failures[0].Error, "line 100\n")
	require.NotContains(t, resp.Failures[0].Error, "line 20\n", "only the last 60 lines")
}

func TestFailureInsideAFunctionOrAPipeIsFound(t *testing.T) {
	t.Parallel()
	resp, _ := build(t, fences("f() {\n  false\n}\nf")...)
	require.Equal(t, "`false`: exit status 1", resp.Summary)
	require.Contains(t, resp.Failures[0].Error, "at tasks/TASK-01.md:12")

	resp, _ = build(t, fences("false | cat")...)
	require.Equal(t, dispatch.Fail, resp.Status, "pipefail")
	resp, _ = build(t, fences(`echo "$NOT_SET"`)...)
	require.Equal(t, dispatch.Fail, resp.Status, "unset variables")
}

func TestFenceMayAllowAFailure(t *testing.T) {
	t.Parallel()
	resp, _ := build(t, fences("set +e\nfalse\nset -e\nif false; then :; fi\n! false\nfalse || true")...)
	require.Equal(t, dispatch.Pass, resp.Status)
}

func TestDirectoryAndVariablesLastFromLineToLine(t *testing.T) {
	t.Parallel()
	resp, req := build(t, fences("mkdir sub\ncd sub\nNAME=x\ntouch $NAME")...)
	require.Equal(t, dispatch.Pass, resp.Status)
	require.FileExists(t, filepath.Join(req.Workspace, "sub", "x"))
}

func TestFenceMarkedShIsRunBySh(t *testing.T) {
	t.Parallel()
	resp, _ := build(t, tasks.Script{Line: 3, Lang: "sh", Text: "test -z \"${BASH_VERSION:-}\" || test -n \"${POSIXLY_CORRECT:-}\"\n"})
	require.Equal(t, dispatch.Pass, resp.Status)

	resp, _ = build(t, tasks.Script{Line: 3, Lang: "sh", Text: "echo no >&2\nfalse\n"})
	require.Equal(t, "`echo no >&2 …`: exit status 1", resp.Summary, "sh cannot tell which command it was")
	require.Contains(t, resp.Failures[0].Error, "at tasks/TASK-01.md:3")
}

func TestFenceWithoutALanguageIsRunByBash(t *testing.T) {
	t.Parallel()
	resp, _ := build(t, tasks.Script{Line: 3, Text: "[[ -n $BASH_VERSION ]]\n"})
	require.Equal(t, dispatch.Pass, resp.Status)
}

func TestFenceHasNothingToRead(t *testing.T) {
	t.Parallel()
	resp, _ := build(t, fences("cat")...)
	require.Equal(t, dispatch.Pass, resp.Status)
}

func TestFenceSeesTheEnvironmentOfItsStage(t *testing.T) {
	t.Parallel()
	resp, req := build(t, fences(`printf %s "$PIPELINE_TASK $PIPELINE_STAGE $PIPELINE_ATTEMPT" >env.txt`)...)
	require.Equal(t, dispatch.Pass, resp.Status)
	seen, err := os.ReadFile(filepath.Join(req.Workspace, "env.txt"))
	require.NoError(t, err)
	require.Equal(t, "TASK-01 builder 1", string(seen))
}

func TestProgressOfAnEarlierAttemptIsRemovedFirst(t *testing.T) {
	t.Parallel()
	req, _ := stagetest.Request(t, dispatch.Builder)
	require.NoError(t, os.WriteFile(req.Progress, []byte("- Status: COMPLETED\n"), 0o644))
	req.Spec.Build = fences(`test ! -e "$PIPELINE_PROGRESS"`)
	resp, err := script.Build{}.Execute(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, dispatch.Pass, resp.Status)
	require.NoFileExists(t, req.Progress)
}

func TestTaskWithoutBuildIsAnErrorNamingIt(t *testing.T) {
	t.Parallel()
	req, _ := stagetest.Request(t, dispatch.Builder)
	_, err := script.Build{}.Execute(t.Context(), req)
	require.EqualError(t, err, "TASK-01 has no `## Build` to run: add one to TASK-01.md, or give it another builder")
	require.EqualError(t, stages.Ready(script.Build{}, req.Spec), err.Error())
}

func TestFenceTooLongToRunIsAnErrorBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	req, _ := stagetest.Request(t, dispatch.Builder)
	req.Spec.Build = fences("touch ran", strings.Repeat("#", 128<<10))
	_, err := script.Build{}.Execute(t.Context(), req)
	require.ErrorContains(t, err, "TASK-01.md:20: a fence of 131073 bytes is too long")
	require.NoFileExists(t, filepath.Join(req.Workspace, "ran"))
}

func TestLongestFenceThatIsTakenCanBeRun(t *testing.T) {
	t.Parallel()
	resp, _ := build(t, fences(strings.Repeat("#", 127<<10-1))...)
	require.Equal(t, dispatch.Pass, resp.Status)
}

func TestBuildThatIsTooLateFailsWithWhatItPrinted(t *testing.T) {
	t.Parallel()
	req, _ := stagetest.Request(t, dispatch.Builder)
	req.Spec.Build = fences("echo working\nsleep 600")
	resp, err := stages.Timeout(script.Build{}, 300*time.Millisecond).Execute(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, dispatch.Fail, resp.Status)
	require.Equal(t, "timed out after 300ms", resp.Summary)
	require.Contains(t, resp.Failures[0].Error, "working")
}
