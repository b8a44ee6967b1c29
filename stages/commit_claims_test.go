package stages_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
)

func TestListedPathThatSomebodyElseHasMadeOnTheNewBaseIsNoFalseClaim(t *testing.T) {
	t.Parallel()
	made := func(round int, changes ...stages.Change) stages.CommitInput {
		in, _ := input("# TASK-03\n- Status: COMPLETED\n- Files changed:\n  - a.go (create)\n  - same.txt (create)\n")
		in.Step.Round, in.Snapshot.Changes = round, changes
		return in
	}
	own := stages.Change{Path: "a.go", Action: "CREATE"}
	refused(t, made(1, own), "claimed but unchanged: same.txt")
	refused(t, made(2), "claimed but unchanged: a.go")

	_, result, err := stages.Commit(t.Context(), made(2, own))
	require.NoError(t, err)
	require.Equal(t, dispatch.Pass, result.Status)
}

func TestListedPathThatDidNotChangeFailsTheGate(t *testing.T) {
	t.Parallel()
	in, _ := input(completed + "  - `auth/logout.go` — CREATE\n  - `auth/no.go`\n")
	_, result := refused(t, in, "claimed but unchanged: auth/logout.go")
	require.Equal(t, []string{"auth/logout.go", "auth/no.go"}, result.Failures[0].Files)
}
