package command

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// checkedBy is a verifier that says PASS, and a shell line that has to agree.
func checkedBy(line string) LandingCheck {
	return LandingCheck{
		Executor: stages.Func(func(context.Context, stages.Request) (stages.Response, error) {
			return stages.Response{Result: dispatch.Result{Status: dispatch.Pass, Handoff: &window.Handoff{What: "looked"}}, Printed: []byte("PASS")}, nil
		}),
		Check: Executor{Name: "landing_check", Argv: []string{"sh", "-c", line}},
	}
}

func verifying(t *testing.T) stages.Request {
	return stages.Request{Step: stages.Step{Task: "TASK-01", Stage: dispatch.Verifier, Attempt: 1}, Workspace: t.TempDir(), Sink: stages.Discard}
}

func TestVerifierIsAskedOnlyIfTheLandingCheckPasses(t *testing.T) {
	t.Parallel()
	req := verifying(t)
	resp, err := checkedBy(`test "$PIPELINE_TASK" = TASK-01`).Execute(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, dispatch.Pass, resp.Status)
	require.Equal(t, "looked", resp.Handoff.What)

	l := checkedBy("echo two tests broke; exit 3")
	l.Executor = stages.Func(func(context.Context, stages.Request) (stages.Response, error) {
		t.Error("it was asked all the same")
		return stages.Response{}, nil
	})
	resp, err = l.Execute(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, dispatch.Fail, resp.Status)
	require.Contains(t, resp.Summary, "landing_check")
	require.Contains(t, resp.Summary, "exit status 3")
	require.Contains(t, resp.Failures[0].Error, "two tests broke")
}

func TestLandingCheckIsNotRunAgainForASendThatComesAgain(t *testing.T) {
	t.Parallel()
	req := verifying(t)
	req.Resume = stages.State(`{"send":1}`)
	resp, err := checkedBy("exit 1").Execute(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, dispatch.Pass, resp.Status)
}

func TestLandingCheckDoesNotJudgeBuilders(t *testing.T) {
	t.Parallel()
	req := verifying(t)
	req.Step.Stage = dispatch.Builder
	resp, err := checkedBy("exit 1").Execute(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, dispatch.Pass, resp.Status)
}

func TestLandingCheckThatIsNotThereIsFoundBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	l := checkedBy("true")
	l.Check.Argv = []string{"./no-such-check"}
	require.ErrorContains(t, l.Ready(tasks.Task{}), "no-such-check")
}

func TestLandingCheckThatIsCutOffIsNoVerdict(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := checkedBy("true").Execute(ctx, verifying(t))
	require.ErrorIs(t, err, context.Canceled)
}
