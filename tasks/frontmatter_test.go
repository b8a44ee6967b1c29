package tasks_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/tasks"
)

func TestFrontMatterGivesTheOptions(t *testing.T) {
	t.Parallel()
	g, problems := load(t, folder{"TASK-01.md": "---\n# how\nbuilder: claude\nverifier: \"checks\"\ntimeout: 1h30m\nlocks: [database, disk, database]\napprove: true\ncommit_type: chore\n---\n# x\n"})
	require.Empty(t, problems)
	require.Equal(t, tasks.Options{
		Builder: "claude", Verifier: "checks", Timeout: 90 * time.Minute,
		Locks: []string{"database", "disk"}, Approve: true, CommitType: "chore",
	}, g.At(0).Options)
}

func TestEmptyFrontMatterSaysNothing(t *testing.T) {
	t.Parallel()
	for _, head := range []string{"---\n---\n", "---\n# only a comment\n---\n", "---  \n\n---\t\n", "\uFEFF---\r\n---\r\n"} {
		g, problems := load(t, folder{"TASK-01.md": head + "# TASK-01: Empty\n"})
		require.Empty(t, problems, "%q", head)
		require.Equal(t, "Empty", g.At(0).Title)
		require.Equal(t, tasks.Options{}, g.At(0).Options)
	}
}

func TestDependsMayBeSpelledAsAnyKeyOfTheSet(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"depends", "depends_on", "Depends on", "dependencies", "의존성", "依存"} {
		require.Equal(t, []tasks.ID{"TASK-01", "TASK-02"}, depsOf(t, "---\n"+key+": [TASK-2, WORK-01-TASK-1]\n---\n"), key)
	}
}

// Every row is one line of front matter, at line 2, and what its error says.
func TestFrontMatterErrorsStandAtTheirItem(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"depends:":                        "2:1: depends must be a list, such as [TASK-01, TASK-02], not null",
		"depends: ~":                      "2:10: depends must be a list",
		"depends: null":                   "2:10: depends must be a list",
		"depends: TASK-01":                "2:10: depends must be a list, such as [TASK-01, TASK-02], not a string",
		"depends: true":                   "2:10: depends must be a list, such as [TASK-01, TASK-02], not a boolean",
		"depends: {a: b}":                 "depends must be a list, such as [TASK-01, TASK-02], not a mapping",
		"depends: [1]":                    "2:11: an item of depends must be the id of a TASK, such as TASK-01, not a number",
		"depends: [TASK-01, null]":        "2:20: an item of depends must be the id of a TASK, such as TASK-01, not null",
		"depends: [[TASK-01]]":            "an item of depends must be the id of a TASK, such as TASK-01, not a list",
		"depends: [TASK-01~03]":           `2:11: "TASK-01~03" in depends is not the id of a TASK`,
		"depends: [none]":                 `2:11: "none" in depends is not the id of a TASK`,
		"depends: [!!str TASK-01]":        "an item of depends must be the id",
		"depends: [*a]":                   "an item of depends must be the id of a TASK, such as TASK-01, not an anchor or alias",
		"depends_on: 3":                   "2:13: depends_on must be a list",
		"dependz: [TASK-01]":              `2:1: unknown key "dependz" in the front matter`,
		"Builder: x":                      `2:1: unknown key "Builder" in the front matter`,
		"1: 2":                            `2:1: unknown key "1" in the front matter`,
		"<<: {builder: x}":                "unknown key",
		"builder: 7":                      "2:10: builder must be a name, not a number",
		"builder:":                        "2:1: builder must be a name, not null",
		`verifier: ""`:                    "2:11: verifier must be a name on one line",
		"timeout: 20":                     "2:10: timeout must be a time above zero with its unit",
		"timeout: soon":                   "2:10: timeout must be a time above zero with its unit",
		"timeout: -5m":                    "2:10: timeout must be a time above zero with its unit",
		"locks: database":                 "2:8: locks must be a list, such as [database], not a string",
		"locks: [1]":                      "2:9: locks must be a name, not a number",
		"approve: yes":                    "2:10: approve must be true or false, not a string",
		"approve: 1":                      "2:10: approve must be true or false, not a number",
		"commit_type: feature":            `2:14: commit_type must be feat, fix, chore, docs, test or refactor, not "feature"`,
		"commit_type: [feat]":             "commit_type must be feat, fix, chore, docs, test or refactor, not a list",
		"just words":                      "2:1: the front matter must be lines of key: value",
		"- a":                             "2:1: the front matter must be lines of key: value",
		"depends: [TASK-01":               "the front matter is not YAML",
		"locks: [a]\nlocks: [b]":          "3:1: the front matter is not YAML",
		"locks: [a]\ndepends:\n\t- x":     "4:1: the front matter is not YAML",
		"depends: []\ndepends_on: []":     "3:1: depends and depends_on say the same thing: keep one of them",
		"# " + strings.Repeat("x", 1<<16): "the front matter is over 64 KiB",
	} {
		got := errorsOf(t, folder{"TASK-09.md": "---\n" + line + "\n---\n# x\n", "TASK-01.md": "# x\n"})
		require.Len(t, got, 1, line)
		require.Contains(t, got[0], want, line)
		require.True(t, strings.HasPrefix(got[0], "TASK-09.md:"), got[0])
	}
}

func TestEveryFrontMatterErrorIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	require.Len(t, errorsOf(t, folder{"TASK-01.md": "---\ndepends: [1, 2]\ntimeout: x\nfoo: bar\n---\n"}), 4)
}

func TestFrontMatterNeverClosedIsAnErrorAtLineOne(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"TASK-01.md:1: the front matter is never closed: end it with a line of ---"},
		errorsOf(t, folder{"TASK-01.md": "---\n# TASK-01: x\n\n## Verify\n"}))
}

func TestDeepYAMLIsRefusedWithoutHarm(t *testing.T) {
	t.Parallel()
	require.NotEmpty(t, errorsOf(t, folder{"TASK-01.md": "---\ndepends: " + strings.Repeat("[", 60_000) + "\n---\n"}))
	require.NotEmpty(t, errorsOf(t, folder{"TASK-01.md": "---\ndepends: " + strings.Repeat("{a: ", 15_000) + "\n---\n"}))
	require.NotEmpty(t, errorsOf(t, folder{"TASK-01.md": "---\n" + strings.Repeat("- ", 30_000) + "\n---\n"}))
}
