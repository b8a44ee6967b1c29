package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/internal/session"
)

func TestUndoWaitsForNoRunThatLives(t *testing.T) {
	t.Parallel()
	pr, _ := waiting(t)
	lock, err := session.Acquire(pr.repo.CommonDir(), "w", time.Now())
	require.NoError(t, err)
	defer lock.Release()

	code, _, stderr := typed(pr.repo.Root(), "undo", "w")

	require.Equal(t, 9, code, stderr)
	require.Contains(t, stderr, "another run holds")
}

func TestUndoOfASessionThatLandedNothingSaysSo(t *testing.T) {
	t.Parallel()
	pr, _ := waiting(t)

	code, _, stderr := typed(pr.repo.Root(), "undo", "w")

	require.Equal(t, 4, code, stderr)
	require.Contains(t, stderr, "nothing of session w has landed on main")
}

func TestUndoFindsATaskThatLandedOnAnotherBranch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"tasks/TASK-01.md": "# TASK-01: One\n\n## Build\n```sh\necho 1 > one.txt\n```\n\n## Verify\n```sh\ntrue\n```\n",
	})
	commitAll(t, dir)
	code, _, stderr := typed(dir, "run", "-o", "quiet", "--session", "aside", "--branch", "side")
	require.Zero(t, code, stderr)

	code, _, stderr = typed(dir, "undo", "TASK-01")
	require.Equal(t, 4, code)
	require.Contains(t, stderr, "next: pipeline undo TASK-01 --session aside")

	code, stdout, stderr := typed(dir, "undo", "TASK-01", "--session", "aside", "--yes")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "TASK-01 undone ")
	code, _, stderr = typed(dir, "check", "aside")
	require.Zero(t, code, stderr)
}

func TestUndoIsRefusedWhereResultsAreNotCommitted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		".gitignore":       "tasks/\n",
		"tasks/TASK-01.md": "# TASK-01: One\n\n## Build\n```sh\necho 1 > one.txt\n```\n\n## Verify\n```sh\ntrue\n```\n",
	})
	commitAll(t, dir)
	code, _, stderr := typed(dir, "run", "-o", "quiet")
	require.Zero(t, code, stderr)

	code, _, stderr = typed(dir, "undo", "TASK-01", "--yes")

	require.Equal(t, 2, code)
	require.Contains(t, stderr, "are not committed")
	require.FileExists(t, dir+"/tasks/TASK-01_result.md")
}
