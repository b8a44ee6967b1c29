package tasks_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/tasks"
)

func TestIDIsOneNumberInAnySpelling(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]tasks.ID{
		"TASK-3": "TASK-03", "TASK-03": "TASK-03", "task-003": "TASK-03", "WORK-20-TASK-3": "TASK-03", "S-Task-0003": "TASK-03",
		"TASK-0": "TASK-00", "TASK-100": "TASK-100", "TASK-999999999999999999": "TASK-999999999999999999",
	} {
		got, ok := tasks.ParseID(text)
		require.True(t, ok, text)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"", "TASK", "TASK-", "TASK-x", "TASK-3a", "subTASK-3", "TASK-03-slug", " TASK-3", "TASK-3\n", "TASK-٣", "TASK-1000000000000000000"} {
		_, ok := tasks.ParseID(text)
		require.False(t, ok, text)
	}
}

func TestIDsOrderByNumber(t *testing.T) {
	t.Parallel()
	require.Negative(t, tasks.ID("TASK-99").Compare("TASK-100"))
	require.Positive(t, tasks.ID("TASK-10").Compare("TASK-02"))
	require.Zero(t, tasks.ID("TASK-10").Compare("TASK-10"))
	require.Equal(t, 7, tasks.ID("TASK-07").Number())
	require.Equal(t, -1, tasks.ID("WORK-07").Number())
	require.Equal(t, -1, tasks.ID("TASK--7").Number())
}

func TestReportsOfATaskAreNoTasks(t *testing.T) {
	t.Parallel()
	f := folder{"TASK-01.md": "# x\n"}
	for _, stem := range []string{"_progress", "_result", "-result", "-PROGRESS", "-verification", "_Report", "-수행결과", "_결과", "-login-result"} {
		f["TASK-02"+stem+".md"] = "# not a TASK\n"
	}
	g, problems := load(t, f)
	require.Equal(t, 1, g.Len())
	require.Empty(t, problems)
}

func TestNearMissOfANameIsWarnedOf(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"task-02.md", "TASK-02.MD", "Task-2-login.md", "TASK_02.md", "TASK-02a.md", "TASK-02_login.md", "TASK-02 login.md", "TASK-02.login.md", "TASK-1234567890123456789.md"} {
		g, warnings := load(t, folder{"TASK-01.md": "# x\n", name: "# x\n"})
		require.Equal(t, 1, g.Len())
		require.Len(t, warnings, 1, name)
		require.Contains(t, warnings[0], name+": warning: ")
	}
	for _, name := range []string{"README.md", "TASK.md", "TASK-.md", "TASK-02.txt", "notes-about-tasks.md"} {
		_, warnings := load(t, folder{"TASK-01.md": "# x\n", name: "# x\n"})
		require.Empty(t, warnings, name)
	}
}

func TestFoldersBelowAreNotSearched(t *testing.T) {
	t.Parallel()
	g, warnings := load(t, folder{"TASK-01.md": "# x\n", "sub/TASK-02.md": "# x\n", "TASK-03.md/inside.md": "# x\n"})
	require.Equal(t, 1, g.Len())
	require.Equal(t, []string{"TASK-03.md: warning: is a directory with the name of a TASK and is ignored: rename it"}, warnings)
}

func TestTwoFilesForOneTaskAreAnErrorAtTheLaterOne(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"WORK-01-TASK-1.md: TASK-01 is already TASK-01.md: two files for one TASK; rename or remove one"},
		errorsOf(t, folder{"TASK-01.md": "# x\n", "WORK-01-TASK-1.md": "# x\n"}))
}

func TestTitleIsTheFirstHeadingWithoutItsID(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# TASK-01: Log in":            "Log in",
		"# TASK-01 — Log in":           "Log in",
		"# TASK-1 - Log in":            "Log in",
		"# TASK-001：Log in":            "Log in",
		"# WORK-01-TASK-01: Log  in":   "Log in",
		"# task-01 Log in ##":          "Log in",
		"TASK-01: Log in\n===":         "Log in",
		"# Log in":                     "Log in",
		"# TASK-01":                    "login-page",
		"## TASK-01: below":            "login-page",
		"":                             "login-page",
		"```\n# code\n```\n# Real one": "Real one",
	} {
		g, problems := load(t, folder{"TASK-01-login-page.md": text + "\n"})
		require.Equal(t, want, g.At(0).Title, text)
		require.Empty(t, problems)
	}
	g, _ := load(t, folder{"TASK-01.md": ""})
	require.Equal(t, "TASK-01", g.At(0).Title)
}

func TestFileNameWinsOverTheHeadingWithAWarning(t *testing.T) {
	t.Parallel()
	g, warnings := load(t, folder{"TASK-01.md": "\n# TASK-02: Other\n"})
	require.Equal(t, tasks.ID("TASK-01"), g.At(0).ID)
	require.Equal(t, "Other", g.At(0).Title)
	require.Equal(t, []string{`TASK-01.md:2:3: warning: the heading says "TASK-02" but the file's name says TASK-01, which counts: make them equal`}, warnings)
}
