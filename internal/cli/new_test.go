package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taskpipeline/pipeline/tasks"
)

func TestANewTaskIsReadBackWithItsTitle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp("", "")
		require.NoError(r, err)
		defer os.RemoveAll(dir)
		title := rapid.OneOf(
			rapid.StringMatching(`[A-Za-z가-힣ぁ-んé()/\\.,:'"-]{1,20}( [a-z결과]{1,8}){0,4}( report| result|-progress| 결과)?`),
			rapid.SampledFrom([]string{"report", "Write the Result", "수행결과", "../../etc/passwd", "-", "TASK-09", "a.md", "日本語のタスク"}),
		).Draw(r, "title")

		code, _, stderr := typed(dir, "new", "--", title)
		require.Zero(r, code, stderr)
		g, problems, err := tasks.LoadDir(dir + "/tasks")
		require.NoError(r, err)
		require.NotNil(r, g, "%v", problems)
		require.Equal(r, 1, g.Len())
		require.Equal(r, tasks.ID("TASK-01"), g.At(0).ID)
		require.NotEmpty(r, g.At(0).Build)
		require.NotEmpty(r, g.At(0).Verify)
	})
}

func TestANewTaskAsksForNoBuildFenceWhereAProgramBuilds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"pipeline.yaml": "stages: {builder: mine}\nexecutors:\n  mine: {command: [\"true\"]}\n"})
	code, _, stderr := typed(dir, "new", "One")
	require.Zero(t, code, stderr)
	text, err := os.ReadFile(dir + "/tasks/TASK-01-one.md")
	require.NoError(t, err)
	require.NotContains(t, string(text), "## Build")
	require.Contains(t, string(text), "## Verify")
}

func TestASlugIsShortAndEndsInNoWordThatNamesAReport(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Log in with a password":       "-log-in-with-a-password",
		"Write the report":             "-write-the",
		"Progress report":              "",
		"!?":                           "",
		"a/../b":                       "-a-b",
		"Ünïcode Ça":                   "-ünïcode-ça",
		strings.Repeat("long ", 40):    "-" + strings.TrimSuffix(strings.Repeat("long-", 12), "-"),
		strings.Repeat("x", 70) + " y": "",
	} {
		require.Equal(t, want, slug(title), title)
	}
}
