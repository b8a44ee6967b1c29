package pipeline_test

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/tasks"
)

var taskFormat = filepath.Join("docs", "task-format.md")

func TestNamesAreReadAsTheTaskFormatSays(t *testing.T) {
	t.Parallel()
	for _, row := range tableRows(sectionOf(t, taskFormat, "Names"))[1:] {
		name, is := code(row[0]), row[1]
		g, problems, err := tasks.Load(fstest.MapFS{
			name:         {Data: []byte("# Something\n")},
			"TASK-99.md": {Data: []byte("# TASK-99: Another\n")},
		}, "tasks")
		require.NoError(t, err, name)
		warned := false
		for _, p := range problems {
			require.Equal(t, tasks.Warning, p.Severity, "%s", p)
			warned = warned || strings.Contains(p.Message, "looks like a TASK")
		}
		require.Equal(t, strings.HasSuffix(is, "with a warning"), warned, name)
		var ids []string
		for task := range g.All() {
			if task.ID != "TASK-99" {
				ids = append(ids, string(task.ID))
			}
		}
		if strings.HasPrefix(is, "no TASK") {
			require.Empty(t, ids, name)
		} else {
			require.Equal(t, []string{is}, ids, name)
		}
	}
}

func TestDependenciesAreReadAsTheTaskFormatSays(t *testing.T) {
	t.Parallel()
	for _, row := range tableRows(sectionOf(t, taskFormat, "Where dependencies stand"))[1:] {
		g, problems, err := tasks.Load(folderWith(t, row[0], code(row[1])), "tasks")
		require.NoError(t, err, "%s: %s", row[0], row[1])
		require.NotNil(t, g, "%s: %s: %v", row[0], row[1], problems)
		task, ok := g.Get("TASK-03")
		require.True(t, ok)
		var deps []string
		for _, id := range task.Deps {
			deps = append(deps, string(id))
		}
		want := row[2]
		if want == "nothing" {
			want = ""
		}
		require.Equal(t, want, strings.Join(deps, ", "), "%s: %s", row[0], row[1])
	}
}

func TestErrorsAreThoseOfTheTaskFormat(t *testing.T) {
	t.Parallel()
	for _, row := range tableRows(sectionOf(t, taskFormat, "What is an error"))[1:] {
		g, problems, err := tasks.Load(folderWith(t, row[0], code(row[1])), "tasks")
		require.NoError(t, err)
		require.Nil(t, g, "%s: %s is no error", row[0], row[1])
		var all []string
		for _, p := range problems {
			if p.Severity == tasks.Error {
				all = append(all, p.String())
			}
		}
		require.Len(t, all, 1, "%s: %s", row[0], row[1])
		require.Contains(t, all[0], row[2])
		require.Regexp(t, `^TASK-03\.md:[0-9]+:[0-9]+: `, all[0])
	}
}

func TestTheExampleOfTheTaskFormatIsSound(t *testing.T) {
	t.Parallel()
	examples := fences(read(t, taskFormat), "markdown")
	require.Len(t, examples, 1)
	folder := folderWith(t, "section", "- (none)")
	folder["TASK-03.md"].Data = []byte(examples[0])
	g, problems, err := tasks.Load(folder, "tasks")
	require.NoError(t, err)
	require.Empty(t, problems)
	task, _ := g.Get("TASK-03")
	require.Equal(t, "Log in with a password", task.Title)
	require.Len(t, task.Build, 1)
	require.Len(t, task.Verify, 1)
}

// folderWith is a folder of three TASKs, one line of which stands at a place
// where TASK-03 or the plan may speak of dependencies.
func folderWith(t *testing.T, place, line string) fstest.MapFS {
	const title = "# TASK-03: Third\n"
	task, plan := title, ""
	switch place {
	case "front matter":
		task = "---\n" + line + "\n---\n" + title
	case "section":
		task += "\n## Dependencies\n" + line + "\n"
	case "quote":
		task += "\n" + line + "\n"
	case "overview":
		task += "\n## Overview\n| Item | Value |\n|---|---|\n" + line + "\n"
	case "PLAN.md bullet":
		plan = "# WORK-01: Plan\n\n### TASK-03: Third\n" + line + "\n"
	case "PLAN.md column":
		plan = "# WORK-01: Plan\n\n| TASK | Title | Depends on |\n|---|---|---|\n| TASK-03 | Third | " + line + " |\n"
	default:
		require.Fail(t, "the table speaks of a place that is not known", place)
	}
	folder := fstest.MapFS{
		"TASK-01.md": {Data: []byte("# TASK-01: First\n")},
		"TASK-02.md": {Data: []byte("# TASK-02: Second\n")},
		"TASK-03.md": {Data: []byte(task)},
	}
	if plan != "" {
		folder["PLAN.md"] = &fstest.MapFile{Data: []byte(plan)}
	}
	return folder
}

// code is the text of a cell that is a code span.
func code(cell string) string { return strings.Trim(cell, "`") }
