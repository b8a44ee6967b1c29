package stages_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/progress"
	"github.com/taskpipeline/pipeline/stages"
)

const bothListed = "- Status: COMPLETED\n- Files changed:\n  - auth/login.go\n  - auth/login_test.go\n"

// guarded is an input that passes, with a secret to be kept.
func guarded(progressMD string) (stages.CommitInput, *objects) {
	in, store := input(progressMD)
	in.Mask = stages.NewMask([]stages.Secret{{Name: "TOKEN", Value: "correct-horse"}})
	store.files = map[string]string{}
	return in, store
}

func TestCommitThatWouldHoldASecretIsRefused(t *testing.T) {
	t.Parallel()
	in, store := guarded(bothListed)
	store.files["auth/login_test.go"] = `const key = "correct-horse"`
	made, result, err := stages.Commit(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, dispatch.Fail, result.Status)
	require.Equal(t, "secret in auth/login_test.go: the value of TOKEN", result.Summary)
	require.Equal(t, "secrets", result.Failures[0].Check)
	require.Empty(t, made.Commit)
	require.Empty(t, store.candidates)

	in, store = guarded(bothListed + "\nThe key is correct-horse.\n")
	_, result, err = stages.Commit(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, "secret in progress.md: the value of TOKEN", result.Summary)
	require.Empty(t, store.candidates)
}

func TestFileThatATaskDeletesMayHaveHeldASecret(t *testing.T) {
	t.Parallel()
	in, store := guarded(bothListed)
	in.Snapshot.Changes[0].Action = progress.Delete
	store.files["auth/login.go"] = "correct-horse"
	_, result, err := stages.Commit(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, dispatch.Pass, result.Status)
}

func TestSecretInWordsIsMaskedInTheCommit(t *testing.T) {
	t.Parallel()
	in, store := guarded(bothListed)
	in.Builder.Commit = &dispatch.Commit{Message: "feat: use correct-horse"}
	in.Verifier.Notes = "it is correct-horse"
	made, _, err := stages.Commit(t.Context(), in)
	require.NoError(t, err)
	require.Contains(t, store.candidates[0].Message, "feat: use [secret TOKEN]")
	require.Contains(t, string(made.ResultMD), "it is [secret TOKEN]")
	require.NotContains(t, string(made.ResultMD), "correct-horse")
}
