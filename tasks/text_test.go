package tasks_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/tasks"
)

func only(t *testing.T, text string) *tasks.Task {
	t.Helper()
	g, _ := load(t, folder{"TASK-01.md": text})
	return g.At(0)
}

func TestScriptsAreTheShellFencesOfTheirSection(t *testing.T) {
	t.Parallel()
	task := only(t, "# x\r\n\r\n## Build\r\ntext\r\n```bash\r\none\r\n\r\ntwo\r\n```\r\n~~~ sh\r\nthree\r\n~~~\r\n### More\n- step\n  ```\n  four\n    five\n  ```\n```json\n{}\n```\n## Notes\n```bash\nno\n```\n## verify\n````BASH x\n```\n````\n")
	require.Equal(t, []tasks.Script{
		{Line: 5, Lang: "bash", Text: "one\n\ntwo\n"},
		{Line: 10, Lang: "sh", Text: "three\n"},
		{Line: 15, Lang: "", Text: "four\n  five\n"},
	}, task.Build)
	require.Equal(t, []tasks.Script{{Line: 27, Lang: "bash", Text: "```\n"}}, task.Verify)
}

func TestFenceThatLooksLikeAScriptButIsNotRunIsWarnedOf(t *testing.T) {
	t.Parallel()
	for _, fence := range []string{"```shell\ntrue\n```\n", "```bash\n\n```\n", "```console\n$ true\n```\n"} {
		g, warnings := load(t, folder{"TASK-01.md": "## Verify\n" + fence})
		require.Empty(t, g.At(0).Verify)
		require.Len(t, warnings, 1, fence)
		require.Contains(t, warnings[0], "TASK-01.md:2:1: warning: ")
	}
}

func TestUnclosedFenceIsAnErrorWhereItOpens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"x\n\n```bash\ntrue\n":               "TASK-01.md:3:1: this fence is never closed: end it with a line of ```",
		"```":                                "TASK-01.md:1:1: this fence is never closed: end it with a line of ```",
		"````\n```\n":                        "TASK-01.md:1:1: this fence is never closed: end it with a line of ````",
		"~~~\n```\n":                         "TASK-01.md:1:1: this fence is never closed: end it with a line of ~~~",
		"- a\n  ```\n  x\n\nend\n":           "TASK-01.md:2:3: this fence is never closed: end it with a line of ```",
		"---\nlocks: [a]\n---\n# x\n```\n\n": "TASK-01.md:5:1: this fence is never closed: end it with a line of ```",
	} {
		require.Equal(t, []string{want}, errorsOf(t, folder{"TASK-01.md": text}), text)
	}
	only(t, "```\n```\n- a\n  ```\n  x\n  ```\n> ```\n> x\n> ```\n````\n```\n````")
}

func TestUnclosedCommentIsWarnedOf(t *testing.T) {
	t.Parallel()
	_, warnings := load(t, folder{"TASK-01.md": "# x\n\n<!-- old\n\n## Dependencies\n- TASK-07\n"})
	require.Equal(t, []string{"TASK-01.md:3:1: warning: this comment is never closed and hides the rest of the file: end it with -->"}, warnings)
}

func TestFilesTableIsReadByItsHeader(t *testing.T) {
	t.Parallel()
	require.Equal(t, []tasks.FileClaim{
		{Path: "a/b.go", Action: "CREATE", Note: "the `x`"},
		{Path: "c.go", Action: "rename"},
	}, only(t, "## Files\n| Path | Action | Description |\n|-|-|-|\n| `a/b.go` | create | the `x` |\n| c.go | rename |\n| | MODIFY | nothing |\n").Files)
	require.Equal(t, []tasks.FileClaim{{Path: "a.go", Action: "DELETE", Note: "old"}},
		only(t, "## Files\n| Note | File | Action |\n|-|-|-|\n| old | a.go | Delete |\n").Files)
	require.Empty(t, only(t, "## Scope\n| Path | Action |\n|-|-|\n| a.go | CREATE |\n").Files)
}

func TestSpecIsTheMarkdownWithoutFrontMatter(t *testing.T) {
	t.Parallel()
	require.Equal(t, "# x  \n\ntext\n", only(t, "\uFEFF---\r\nlocks: [a]\r\n---\r\n# x  \r\n\r\ntext\r\n").Spec)
}

func TestHashCoversTheBodyAndTheDependenciesOnly(t *testing.T) {
	t.Parallel()
	hash := func(text string) tasks.ID {
		g, _ := load(t, withEight(text))
		task, _ := g.Get("TASK-09")
		require.Regexp(t, "^sha256:[0-9a-f]{64}$", task.SpecHash)
		return tasks.ID(task.SpecHash)
	}
	same := hash("---\ndepends: [TASK-01, TASK-02]\n---\n# x\n\nbody\n")
	for _, text := range []string{
		"\uFEFF---\r\ndepends: [TASK-01, TASK-02]\r\n---\r\n# x\r\n\r\nbody\r\n",
		"---\ndepends: [TASK-2, TASK-1, TASK-01]\nlocks: [a]\napprove: true\nbuilder: b\n---\n# x\n\nbody\n",
		"---\ndepends_on: [TASK-01, TASK-02]\n---\n\n# x  \n \t\nbody\n\n\n",
		"---\ndepends: [TASK-01, TASK-02]\n---\n# x\n\nbody",
	} {
		require.Equal(t, same, hash(text), "%q", text)
	}
	for _, text := range []string{
		"---\ndepends: [TASK-01]\n---\n# x\n\nbody\n",
		"---\ndepends: [TASK-01, TASK-02]\n---\n# x\nbody\n",
		"---\ndepends: [TASK-01, TASK-02]\n---\n# x\n\n  body\n",
		"---\ndepends: [TASK-01, TASK-02]\n---\n# x\n\nbody!\n",
	} {
		require.NotEqual(t, same, hash(text), "%q", text)
	}
}

func TestHashFollowsThePlansDependencies(t *testing.T) {
	t.Parallel()
	hash := func(plan string) string {
		g, _ := load(t, folder{"TASK-01.md": "# x\n", "TASK-02.md": "# x\n", "PLAN.md": plan})
		task, _ := g.Get("TASK-02")
		return task.SpecHash
	}
	require.NotEqual(t, hash("## TASK-02\n- Depends on: TASK-01\n"), hash("## TASK-02\n- Depends on: none\n"))
}
