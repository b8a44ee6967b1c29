package command

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/envelope"
)

// quality is a verifier that passes, with shell lines that have to agree. Its
// request is returned beside it.
func quality(lines ...string) (Quality, *stages.Request) {
	var seen stages.Request
	q := Quality{Executor: stages.Func(func(_ context.Context, req stages.Request) (stages.Response, error) {
		seen = req
		return stages.Response{Result: dispatch.Result{Status: dispatch.Pass}}, nil
	})}
	for i, line := range lines {
		q.Checks = append(q.Checks, Check{Executor: Executor{Name: string(rune('a' + i)), Argv: []string{"sh", "-c", line}}})
	}
	return q, &seen
}

func saidBy(t *testing.T, raw []byte) envelope.VerifyOutput {
	t.Helper()
	e, err := envelope.Parse(envelope.Verify, raw)
	require.NoError(t, err)
	return e.(envelope.VerifyOutput)
}

func TestGreenChecksReachTheVerifier(t *testing.T) {
	t.Parallel()
	q, seen := quality("true", "true")
	resp, err := q.Execute(t.Context(), verifying(t))
	require.NoError(t, err)
	require.Equal(t, dispatch.Pass, resp.Status)
	out := saidBy(t, seen.Quality)
	require.True(t, out.Passed)
	require.Equal(t, "2 of 2 checks passed", out.Summary)
}

func TestRedCheckIsTheVerdictAndAllAreRun(t *testing.T) {
	t.Parallel()
	q, seen := quality("echo one broke; exit 3", "true", "echo another; exit 1")
	resp, err := q.Execute(t.Context(), verifying(t))
	require.NoError(t, err)
	require.Equal(t, dispatch.Fail, resp.Status)
	require.Empty(t, seen.Step, "the verifier is not asked")
	out := saidBy(t, resp.Envelope)
	require.Equal(t, []string{"a: exit status 3\none broke", "c: exit status 1\nanother"}, out.Failures)
	require.Equal(t, dispatch.Failure{Check: "a", Error: "a: exit status 3\none broke"}, resp.Failures[0])
}

func TestCheckThatTakesTooLongCountsAsStatus124(t *testing.T) {
	t.Parallel()
	q, _ := quality("sleep 100")
	q.Checks[0].Timeout = 50 * time.Millisecond
	resp, err := q.Execute(t.Context(), verifying(t))
	require.NoError(t, err)
	require.Equal(t, dispatch.Fail, resp.Status)
	require.Equal(t, []string{"a: its time was up"}, saidBy(t, resp.Envelope).Failures)
}

func TestMissingProgramNeverGoesToAnAgent(t *testing.T) {
	t.Parallel()
	q, _ := quality("no-such-program")
	_, err := q.Execute(t.Context(), verifying(t))
	require.ErrorContains(t, err, `executor "a": exit status 127: a program is not there`)
	q, _ = quality("true")
	q.Checks[0].Argv = []string{"no-such-program"}
	require.Error(t, q.Ready(verifying(t).Spec))
	_, err = q.Execute(t.Context(), verifying(t))
	require.Error(t, err)
}

func TestChecksAreRunForVerifiersOnly(t *testing.T) {
	t.Parallel()
	q, seen := quality("exit 1")
	req := verifying(t)
	req.Step.Stage = dispatch.Builder
	_, err := q.Execute(t.Context(), req)
	require.NoError(t, err)
	require.Nil(t, seen.Quality)
}

func TestCutOffCheckIsNoVerdict(t *testing.T) {
	t.Parallel()
	q, _ := quality("sleep 100")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := q.Execute(ctx, verifying(t))
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
