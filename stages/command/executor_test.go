package command_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/command"
	"github.com/taskpipeline/pipeline/stages/stagetest"
	"github.com/taskpipeline/pipeline/tasks"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	stagetest.Run(t, dispatch.Builder, func(t *testing.T, b stagetest.Behaviour, _ *stages.Request) stages.Executor {
		return actor(t, string(b))
	})
}

// shell is an executor that runs a script.
func shell(script string) command.Executor {
	return command.Executor{Name: "mine", Argv: []string{"sh", "-c", script}}
}

const passing = `<task-result status="PASS"><context-handoff><what>it</what></context-handoff></task-result>`

func execute(t *testing.T, e command.Executor) stages.Response {
	t.Helper()
	req, _ := stagetest.Request(t, dispatch.Builder)
	resp, err := e.Execute(t.Context(), req)
	require.NoError(t, err)
	return resp
}

func TestDispatchStandsOnStandardInput(t *testing.T) {
	t.Parallel()
	req, _ := stagetest.Request(t, dispatch.Builder)
	var message bytes.Buffer
	require.NoError(t, req.Dispatch.Encode(&message))

	resp, err := actor(t, "echo").Execute(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(message.String()), strings.TrimSpace(resp.Notes))
}

func TestEnvironmentIsTheAllowlistTheExecutorsAndThePipelines(t *testing.T) {
	t.Parallel()
	req, _ := stagetest.Request(t, dispatch.Builder)
	req.Env = []string{"FROM_REQUEST=r"}
	e := actor(t, "environment")
	e.Environ = []string{"PATH=/bin", "LC_ALL=C", "SECRET=s"}
	e.Env["FROM_EXECUTOR"] = "e"
	resp, err := e.Execute(t.Context(), req)
	require.NoError(t, err)

	environ := strings.Split(resp.Notes, "\n")
	require.Subset(t, environ, req.Environ())
	require.Subset(t, environ, []string{"PATH=/bin", "LC_ALL=C", "FROM_EXECUTOR=e", "FROM_REQUEST=r"})
	require.NotContains(t, resp.Notes, "SECRET")
}

func TestExecutorCannotOverwriteWhatThePipelineSays(t *testing.T) {
	t.Parallel()
	e := actor(t, "environment")
	e.Env["PIPELINE_TASK"] = "TASK-99"
	require.Contains(t, execute(t, e).Notes, "PIPELINE_TASK=TASK-01")
}

func TestExitStatusFailsAlsoWithPass(t *testing.T) {
	t.Parallel()
	resp := execute(t, shell(`echo '`+passing+`'; echo 'disk full' >&2; exit 3`))
	require.Equal(t, dispatch.Fail, resp.Status)
	require.Equal(t, "exit status 3", resp.Summary)
	require.Contains(t, resp.Failures[0].Error, "disk full")
	require.Equal(t, "it", resp.Handoff.What, "what it handed off still helps")
	require.Nil(t, resp.Printed, "a PASS that does not count is not recorded as the result")
}

func TestDeathBySignalFails(t *testing.T) {
	t.Parallel()
	resp := execute(t, shell(`echo '`+passing+`'; kill -SEGV $$`))
	require.Equal(t, dispatch.Fail, resp.Status)
	require.Equal(t, "killed by SIGSEGV", resp.Summary)
}

func TestOwnFailKeepsItsWordsWhateverTheExitStatus(t *testing.T) {
	t.Parallel()
	resp := execute(t, shell(`echo '<task-result status="FAIL"><summary>tests are red</summary></task-result>'; exit 1`))
	require.Equal(t, dispatch.Fail, resp.Status)
	require.Equal(t, "tests are red", resp.Summary)
	require.NotEmpty(t, resp.Printed)
}

func TestFailWithoutASummaryIsGivenOne(t *testing.T) {
	t.Parallel()
	resp := execute(t, shell(`echo '<task-result status="FAIL"/> said'`))
	require.Equal(t, dispatch.Fail, resp.Status)
	require.Equal(t, "it said FAIL and gave no summary", resp.Summary)
	require.Contains(t, string(resp.Printed), `<task-result status="FAIL"/>`)
}

func TestNoResultFailsWithTheReason(t *testing.T) {
	t.Parallel()
	resp := execute(t, shell(`echo 'I think it works'`))
	require.Equal(t, dispatch.Fail, resp.Status)
	require.Contains(t, resp.Summary, "no valid task-result")
	require.Contains(t, resp.Failures[0].Error, "I think it works")
	require.Equal(t, tasks.ID("TASK-01"), resp.Task)
	require.Equal(t, dispatch.Builder, resp.Agent)
}

func TestResultOnStandardErrorDoesNotCount(t *testing.T) {
	t.Parallel()
	require.Equal(t, dispatch.Fail, execute(t, shell(`echo '`+passing+`' >&2`)).Status)
}

func TestPrintedIsTheElementAsItStands(t *testing.T) {
	t.Parallel()
	element := `<task-result  status='pass'><context-handoff><what>quotes <task-result status="FAIL"/> &amp; goes on</what></context-handoff><mine>kept</mine></task-result >`
	resp := execute(t, command.Executor{Argv: []string{"printf", "%s", "before <task-result status=\"FAIL\"></task-result>\n" + element + "\nafter"}})
	require.Equal(t, dispatch.Pass, resp.Status)
	require.Equal(t, element, string(resp.Printed))
}

func TestBothStreamsAreRecordedLive(t *testing.T) {
	t.Parallel()
	req, recorder := stagetest.Request(t, dispatch.Builder)
	_, err := shell(`echo out; echo log >&2`).Execute(t.Context(), req)
	require.NoError(t, err)
	require.Contains(t, recorder.Printed(), "out\n")
	require.Contains(t, recorder.Printed(), "log\n")
}

func TestProgramThatIsNotThereIsAnErrorThatSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]command.Executor{
		"in PATH":    {Name: "mine", Argv: []string{"no-such-program"}},
		"at a path":  {Name: "mine", Argv: []string{"./no-such-program"}, Root: t.TempDir()},
		"not at all": {Name: "mine"},
		"a folder":   {Name: "mine", Argv: []string{t.TempDir()}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req, _ := stagetest.Request(t, dispatch.Builder)
			_, err := e.Execute(t.Context(), req)
			require.Error(t, err)
			require.EqualError(t, stages.Ready(e, tasks.Task{}), err.Error(), "it is known before the run")
			require.Contains(t, err.Error(), `executor "mine"`)
			require.Contains(t, err.Error(), "pipeline.yaml")
		})
	}
}

func TestFileThatCannotBeRunIsAnError(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "broken")
	require.NoError(t, os.WriteFile(path, []byte("#!/no/such/interpreter\n"), 0o755))
	req, _ := stagetest.Request(t, dispatch.Builder)
	_, err := command.Executor{Name: "mine", Argv: []string{path}}.Execute(t.Context(), req)
	require.ErrorContains(t, err, `executor "mine": start `+path)
}

func TestRelativeProgramIsTheUsersNotTheWorkspaces(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	script := "#!/bin/sh\necho '" + passing + "'\npwd >where.txt\n"
	require.NoError(t, os.WriteFile(filepath.Join(root, "build.sh"), []byte(script), 0o755))
	req, _ := stagetest.Request(t, dispatch.Builder)
	require.NoError(t, os.WriteFile(filepath.Join(req.Workspace, "build.sh"), []byte("#!/bin/sh\nexit 9\n"), 0o755))

	resp, err := command.Executor{Argv: []string{"./build.sh"}, Root: root}.Execute(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, dispatch.Pass, resp.Status)
	where, err := os.ReadFile(filepath.Join(req.Workspace, "where.txt"))
	require.NoError(t, err)
	require.Equal(t, req.Workspace, strings.TrimSpace(string(where)), "it works in the workspace")
}

func TestArgumentsAreNotReadByAShell(t *testing.T) {
	t.Parallel()
	req, recorder := stagetest.Request(t, dispatch.Builder)
	_, err := command.Executor{Argv: []string{"printf", "%s", "$(touch pwned) `id` $HOME"}}.Execute(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, "$(touch pwned) `id` $HOME", recorder.Printed())
}

func TestStageThatIsTooLateOrTooSilentFails(t *testing.T) {
	t.Parallel()
	for reason, e := range map[string]stages.Executor{
		"timed out after 300ms": stages.Timeout(shell("echo working; sleep 600"), 300*time.Millisecond),
		"no output for 300ms":   stages.IdleTimeout(shell("echo working; sleep 600"), 300*time.Millisecond),
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			req, _ := stagetest.Request(t, dispatch.Builder)
			resp, err := e.Execute(t.Context(), req)
			require.NoError(t, err)
			require.Equal(t, dispatch.Fail, resp.Status)
			require.Equal(t, reason, resp.Summary)
			require.Contains(t, resp.Failures[0].Error, "working")
			require.Equal(t, 1, resp.Usage.Sends)
		})
	}
}

func TestEndOfTheContextIsAnErrorNamingTheExecutor(t *testing.T) {
	t.Parallel()
	req, _ := stagetest.Request(t, dispatch.Builder)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := shell("sleep 600").Execute(ctx, req)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, `executor "mine"`)
}

// discard is a Sink that is not slowed down by its memory.
type discard struct{ stages.Sink }

func (discard) Output() io.Writer { return io.Discard }

func TestGigabyteOfOutputStaysFlatInMemory(t *testing.T) {
	// Not parallel: it measures what is allocated meanwhile.
	req, recorder := stagetest.Request(t, dispatch.Builder)
	req.Sink = discard{recorder}
	e := actor(t, "flood")
	e.Keep = 8 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	resp, err := e.Execute(t.Context(), req)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Equal(t, dispatch.Pass, resp.Status, resp.Summary)
	require.Equal(t, "said a lot", resp.Handoff.What)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(128<<20), "bytes allocated in all for 1 GiB of output")
}
