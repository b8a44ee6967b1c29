package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/scheduler"
)

// TestAnAnswerCarriesNothingThatSteersATerminal asks for what an agent could
// have said, in every form in which an answer is printed.
func TestAnAnswerCarriesNothingThatSteersATerminal(t *testing.T) {
	t.Parallel()
	const hostile = "x\x1b[2J\x1b]0;t\a\u009b31m\r\npipeline: all is well\u202e\x00"
	dir := t.TempDir()
	write(t, dir, map[string]string{"tasks/TASK-01.md": "# TASK-01: One\n"})
	commitAll(t, dir)
	s, err := session.At(dir).Create("s1", time.Now())
	require.NoError(t, err)
	j, _, err := s.Journal()
	require.NoError(t, err)
	require.NoError(t, j.Append(&scheduler.Event{V: scheduler.Version, Seq: 1, Time: time.Now(), Type: scheduler.RunStarted, Title: hostile}))
	require.NoError(t, j.Close())
	for _, args := range [][]string{
		{"query", "SELECT title, 1 FROM sessions"}, {"query", "SELECT title AS \"" + hostile[:10] + "\" FROM sessions"},
		{"query", "SELECT title FROM sessions", "--json"}, {"query", "--dump"}, {"query", "SELECT '" + hostile[:20] + "' FROM nowhere"},
	} {
		_, stdout, stderr := typed(dir, args...)
		for _, bad := range []string{"\x1b", "\a", "\u009b", "\r", "\x00", "\u202e", "\npipeline: all is well"} {
			require.NotContains(t, stdout, bad, "%q", args)
			require.NotContains(t, stderr, bad, "%q", args)
		}
	}
	code, stdout, _ := typed(dir, "query", "SELECT title FROM sessions", "--json")
	require.Zero(t, code)
	var rows []struct{ Title string }
	require.NoError(t, json.Unmarshal([]byte(stdout), &rows))
	require.Equal(t, hostile, rows[0].Title)
}

func TestTheExamplesOfQueryAreAnswered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"tasks/TASK-01.md": "# TASK-01: One\n"})
	commitAll(t, dir)
	_, err := session.At(dir).Create("s1", time.Now())
	require.NoError(t, err)
	answered := 0
	for line := range strings.Lines(queryCommand(&Process{}).Example) {
		if _, rest, ok := strings.Cut(line, `pipeline query "`); ok {
			statement, _, _ := strings.Cut(rest, `"`)
			code, _, stderr := typed(dir, "query", statement)
			require.Zero(t, code, stderr)
			answered++
		}
	}
	require.Equal(t, 3, answered)
}
