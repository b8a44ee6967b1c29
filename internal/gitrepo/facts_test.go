package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
)

func TestFactsTellWhatReallyDiffers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws := f.fresh("TASK-01")
	base := f.tip()
	put := func(path, text string) {
		full := filepath.Join(ws.Dir, filepath.FromSlash(path))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(text), 0o644))
	}
	facts := f.repo.Facts("TASK-01")
	head, err := facts.Head(ctx())
	require.NoError(t, err)
	require.Equal(t, base, head)

	put("new dir/ünï\"code.txt", "x\n")
	put("kept.txt", "one\n")
	first := f.snapshot("TASK-01")
	put("kept.txt", "one\n")
	put("later.txt", "two\nlines\n")
	require.NoError(t, os.Remove(filepath.Join(ws.Dir, "new dir", "ünï\"code.txt")))

	differ, err := facts.Differ(ctx(), first.Tree, []string{"kept.txt", "later.txt", "new dir/ünï\"code.txt", "never.txt", "../out.txt", "later.txt"})
	require.NoError(t, err)
	require.Equal(t, []string{"later.txt", "new dir/ünï\"code.txt"}, differ)

	altered, err := facts.Altered(ctx(), first.Tree)
	require.NoError(t, err)
	require.Equal(t, []string{"later.txt", "new dir/ünï\"code.txt"}, altered)
	unchanged, err := facts.Altered(ctx(), f.snapshot("TASK-01").Tree)
	require.NoError(t, err)
	require.Empty(t, unchanged)

	diff, err := facts.Diff(ctx(), base, f.snapshot("TASK-01").Tree, 1<<20)
	require.NoError(t, err)
	require.Equal(t, []string{"kept.txt", "later.txt"}, diff.Files)
	require.Equal(t, 3, diff.Insertions)
	require.False(t, diff.Cut)
	require.Contains(t, string(diff.Patch), "+lines\n")
	require.Contains(t, diff.Stat, "2 files changed")

	put("later.txt", strings.Repeat("a long line of text\n", 50_000))
	diff, err = facts.Diff(ctx(), base, f.snapshot("TASK-01").Tree, 1000)
	require.NoError(t, err)
	require.Equal(t, 1000, len(diff.Patch))
	require.True(t, diff.Cut)
}

func TestFactsOfALostWorkspaceAreAFault(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var fault *stages.Fault
	_, err := f.repo.Facts("TASK-09").Altered(ctx(), f.tip())
	require.ErrorAs(t, err, &fault)
	require.True(t, fault.Lost)
}
