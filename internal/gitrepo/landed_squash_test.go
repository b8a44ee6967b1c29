package gitrepo

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A pull request with the two commits of `undo SESSION`, merged by squashing.
func TestSquashedUndosTakeBothBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.landed("TASK-01", map[string]string{"a.txt": "two\n"})
	f.landed("TASK-02", map[string]string{"b.txt": "b\n"})
	base := f.head()
	all := f.history()
	f.undo(all[1], all[0])
	body := f.git("log", "--format=%B", string(base)+"..HEAD")
	f.git("reset", "-q", "--soft", string(base))
	f.git("commit", "-q", "-m", "Undo both\n\n"+body)
	for _, l := range f.history() {
		require.NotEmpty(t, l.Undone, "%s was taken back by the squashed commit", l.Names())
	}
}

// The undo of two TASKs that landed in one squashed commit, after a rebase, takes back no earlier landing.
func TestUndoOfASquashAfterARebaseLeavesAnEarlierLandingAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.landed("TASK-01", map[string]string{"b.txt": "b\n"}) // holds
	base := f.head()
	f.landed("TASK-01", map[string]string{"b.txt": "c\n"})
	f.landed("TASK-02", map[string]string{"a.txt": "two\n"})
	body := f.git("log", "--format=%B", string(base)+"..HEAD")
	f.git("reset", "-q", "--soft", string(base))
	f.write("tasks/TASK-01_result.md", f.read("tasks/TASK-01_result.md")+"again\n")
	f.git("add", "tasks")
	f.git("commit", "-q", "-m", "Both\n\n"+body)
	all := f.history()
	require.Len(t, all, 2)
	require.Len(t, all[1].Tasks, 2)
	f.open() // as the command does
	f.undo(all[1])
	f.git("rebase", "-q", "--signoff", "--force-rebase", "HEAD~3") // other hashes
	all = f.history()
	require.Empty(t, all[0].Undone, "only the squashed commit was taken back")
	require.NotEmpty(t, all[1].Undone)
}

// A person takes back a part of what a TASK brought, and says so as `git revert
// -n` does. result.md stays, so the TASK is done, and undo has something to do.
func TestPartOfARevertTakesNoTaskBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	commit := f.landed("TASK-01", map[string]string{"one.txt": "1\n", "two.txt": "2\n"})
	f.git("rm", "-q", "two.txt")
	f.commit("Take two.txt out again\n\nThis reverts commit " + string(commit) + " in part.")

	require.FileExists(t, filepath.Join(f.dir, "tasks", "TASK-01_result.md"))
	require.Empty(t, f.history()[0].Undone, "its result.md is on the branch")
}
