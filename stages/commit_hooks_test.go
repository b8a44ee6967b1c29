package stages_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/progress"
	"github.com/taskpipeline/pipeline/stages"
)

// hook is a repository's say about a commit.
type hook func(c stages.Candidate) (string, error)

func (h hook) CommitHooks(_ context.Context, c stages.Candidate) (string, error) { return h(c) }

func TestMessageIsAsTheHooksLeftIt(t *testing.T) {
	t.Parallel()
	in, store := input(completed)
	in.Hooks = hook(func(c stages.Candidate) (string, error) { return "Worded: " + c.Message, nil })

	_, result, err := stages.Commit(t.Context(), in)

	require.NoError(t, err)
	require.True(t, strings.HasPrefix(result.Commit.Message, "Worded: feat(TASK-03)"))
	require.Equal(t, result.Commit.Message, store.candidates[0].Message)
	require.True(t, strings.HasPrefix(result.Summary, "Worded: "))
}

func TestHookThatRefusesFailsTheAttempt(t *testing.T) {
	t.Parallel()
	in, _ := input(completed)
	in.Hooks = hook(func(stages.Candidate) (string, error) {
		return "", &stages.Fault{Reason: "the hook pre-commit failed", Details: []dispatch.Failure{{Check: "pre-commit", Error: "the hook pre-commit failed", Fix: "as it says"}}}
	})

	made, _ := refused(t, in, "the hook pre-commit failed")

	require.Equal(t, completed, made.Progress)
}

func TestHookThatCannotRunIsAnError(t *testing.T) {
	t.Parallel()
	in, _ := input(completed)
	in.Hooks = hook(func(stages.Candidate) (string, error) { return "", errors.New("no interpreter") })

	_, _, err := stages.Commit(t.Context(), in)

	require.ErrorContains(t, err, "TASK-03/committer#2: no interpreter")
}

func TestHooksAreNotAskedWhereTheGateRefuses(t *testing.T) {
	t.Parallel()
	in, _ := input("# nothing\n")
	in.Hooks = hook(func(stages.Candidate) (string, error) { t.Error("asked"); return "", nil })

	refused(t, in, progress.NotCompleted)
}
