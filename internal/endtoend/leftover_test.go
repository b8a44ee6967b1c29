package endtoend

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// nothingLeft wants the repository sound, and nothing of a run left in it but
// its commits and its record.
func (p *place) nothingLeft() {
	p.Helper()
	p.git("fsck", "--strict")
	require.Equal(p, 1, strings.Count(p.git("worktree", "list", "--porcelain"), "worktree "), "a worktree is left")
	require.Empty(p, p.git("for-each-ref", "refs/pipeline/"), "a ref is left")
	require.NoError(p, filepath.WalkDir(p.path(".git"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".lock") {
			p.Errorf("a lock is left: %s", path)
		}
		return err
	}))
}

func TestFinishedRunLeavesNothingButCommitsAndItsRecord(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"tasks/TASK-01.md": task("TASK-01", "echo one > one", "test -f one"),
		"tasks/TASK-02.md": task("TASK-02", "echo two > two", "test -f one", "TASK-01"),
	})
	p.must(0, "run", "-o", "quiet")
	p.nothingLeft()
	require.Equal(t, "3", p.git("rev-list", "--count", "main"))
	p.must(0, "check")
}
