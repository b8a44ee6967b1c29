package tasks_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/tasks"
)

// folder is a tasks folder in memory: names and texts.
type folder map[string]string

func (f folder) fs() fs.FS {
	files := fstest.MapFS{}
	for name, text := range f {
		files[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return files
}

// load reads a folder that must give a graph, and returns its problems as text.
func load(t testing.TB, f folder) (*tasks.Graph, []string) {
	t.Helper()
	g, problems, err := tasks.Load(f.fs(), "WORK-01")
	require.NoError(t, err)
	require.NotNil(t, g, "%v", problems)
	return g, texts(problems)
}

// errorsOf reads a folder that must give no graph, and returns its errors as text.
func errorsOf(t testing.TB, f folder) []string {
	t.Helper()
	g, problems, err := tasks.Load(f.fs(), "WORK-01")
	require.NoError(t, err)
	require.Nil(t, g)
	return texts(slices.DeleteFunc(problems, func(p tasks.Problem) bool { return p.Severity != tasks.Error }))
}

func texts(problems []tasks.Problem) []string {
	var all []string
	for _, p := range problems {
		all = append(all, p.String())
	}
	return all
}

// depsOf reads a folder in which the file TASK-09.md has that text beside eight
// silent TASKs, and returns what TASK-09 needs.
func depsOf(t testing.TB, text string) []tasks.ID {
	t.Helper()
	g, _ := load(t, withEight(text))
	task, ok := g.Get("TASK-09")
	require.True(t, ok)
	return task.Deps
}

func withEight(text string) folder {
	f := folder{"TASK-09.md": text}
	for i := range 8 {
		f[string(id(i+1))+".md"] = "# A step\n"
	}
	return f
}

func TestMissingFolderIsToldFromAnEmptyOne(t *testing.T) {
	t.Parallel()
	_, _, err := tasks.LoadDir(filepath.Join(t.TempDir(), "gone"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NotErrorIs(t, err, tasks.ErrNoTasks)

	_, problems, err := tasks.LoadDir(t.TempDir())
	require.ErrorIs(t, err, tasks.ErrNoTasks)
	require.Empty(t, problems)
}

func TestFileInPlaceOfTheFolderIsAnError(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tasks")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	_, _, err := tasks.LoadDir(file)
	require.Error(t, err)
	require.NotErrorIs(t, err, tasks.ErrNoTasks)
}

func TestEmptyFolderStillWarnsOfNearMisses(t *testing.T) {
	t.Parallel()
	_, problems, err := tasks.Load(folder{"task-01.md": "# x\n"}.fs(), "tasks")
	require.ErrorIs(t, err, tasks.ErrNoTasks)
	require.Len(t, problems, 1)
	require.Equal(t, tasks.Warning, problems[0].Severity)
}

func TestWorkIsThePlansIDElseTheFoldersName(t *testing.T) {
	t.Parallel()
	g, _ := load(t, folder{"TASK-01.md": "# x\n"})
	require.Equal(t, "WORK-01", g.Work())
	require.Empty(t, g.Title())

	for title, want := range map[string][2]string{
		"# WORK-31: Ferry counter": {"WORK-31", "Ferry counter"},
		"# WORK-31 — Ferry":        {"WORK-31", "Ferry"},
		"# AB-CD-7":                {"AB-CD-7", ""},
		"# The ferry, part 2":      {"WORK-01", "The ferry, part 2"},
		"no title":                 {"WORK-01", ""},
	} {
		g, _ := load(t, folder{"TASK-01.md": "# x\n", "PLAN.md": title + "\n"})
		require.Equal(t, want, [2]string{g.Work(), g.Title()}, title)
	}
}

func TestLinkInsideTheFolderIsFollowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "text.md"), []byte("# TASK-01: Linked\n"), 0o644))
	require.NoError(t, os.Symlink("text.md", filepath.Join(dir, "TASK-01.md")))
	g, _, err := tasks.LoadDir(dir)
	require.NoError(t, err)
	require.Equal(t, "Linked", g.At(0).Title)
}

func TestLinkOutOfTheFolderIsAnErrorByAnyWay(t *testing.T) {
	t.Parallel()
	outer := t.TempDir()
	dir := filepath.Join(outer, "tasks")
	require.NoError(t, os.Mkdir(dir, 0o755))
	secret := filepath.Join(outer, "secret.md")
	require.NoError(t, os.WriteFile(secret, []byte("# TASK-01: Secret\n"), 0o644))
	require.NoError(t, os.Symlink(secret, filepath.Join(dir, "TASK-01.md")))
	require.NoError(t, os.Symlink("../secret.md", filepath.Join(dir, "TASK-02.md")))
	require.NoError(t, os.Symlink("TASK-02.md", filepath.Join(dir, "TASK-03.md")))
	require.NoError(t, os.Symlink("..", filepath.Join(dir, "up")))
	require.NoError(t, os.Symlink("up/secret.md", filepath.Join(dir, "TASK-04.md")))
	require.NoError(t, os.Symlink("nowhere.md", filepath.Join(dir, "TASK-05.md")))
	require.NoError(t, os.Symlink("../secret.md", filepath.Join(dir, "PLAN.md")))
	g, problems, err := tasks.LoadDir(dir)
	require.NoError(t, err)
	require.Nil(t, g)
	require.Len(t, problems, 6)
	for _, p := range problems {
		require.Equal(t, tasks.Error, p.Severity)
		require.Contains(t, p.Message, "link")
		require.NotContains(t, p.Message, "Secret")
	}
}

func TestBrokenTaskStillExistsForOthers(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"TASK-01.md:1: the front matter is never closed: end it with a line of ---"}, errorsOf(t, folder{
		"TASK-01.md": "---\nlocks: [a]\n# TASK-01: x\n",
		"TASK-02.md": "## Dependencies\n- TASK-01\n",
	}))
}

func TestFileOverTheLimitIsNotReadToItsEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "TASK-01.md"))
	require.NoError(t, err)
	require.NoError(t, f.Truncate(1<<40)) // a hole of a terabyte
	require.NoError(t, f.Close())
	g, problems, err := tasks.LoadDir(dir)
	require.NoError(t, err)
	require.Nil(t, g)
	require.Equal(t, []string{"TASK-01.md: is too large: the limit is 1 MiB; split it"}, texts(problems))
}

func TestFileOfExactlyTheLimitIsRead(t *testing.T) {
	t.Parallel()
	head := "# TASK-01: Full\n\n"
	full := head + strings.Repeat("x", tasks.MaxFileSize-len(head))
	g, _ := load(t, folder{"TASK-01.md": full})
	require.Equal(t, "Full", g.At(0).Title)
	require.Len(t, errorsOf(t, folder{"TASK-01.md": full + "x"}), 1)
}

func TestInvalidUTF8IsAnErrorAtItsPlace(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"TASK-01.md:3:4: is not UTF-8 here: save the file as UTF-8"},
		errorsOf(t, folder{"TASK-01.md": "# TASK-01: x\n\n한글 \xff\n"}))
}

func TestNULReadsAsReplacementCharacterWithAWarning(t *testing.T) {
	t.Parallel()
	g, warnings := load(t, folder{"TASK-01.md": "# TASK-01: a\n\nb\x00c\x00\n"})
	require.Equal(t, []string{"TASK-01.md:3: warning: holds a NUL byte, read as U+FFFD: take it out"}, warnings)
	require.Contains(t, g.At(0).Spec, "b\uFFFDc\uFFFD")
}

func TestProblemsComeByFileAndLine(t *testing.T) {
	t.Parallel()
	got := errorsOf(t, folder{
		"TASK-02.md": "## Dependencies\n- TASK-77\n- TASK-66\n",
		"TASK-01.md": "## Dependencies\n- TASK-55\n\n```\n",
	})
	require.Len(t, got, 4)
	require.True(t, slices.IsSorted(got), "%q", got)
}

func TestHostileMarkdownIsReadInTime(t *testing.T) {
	t.Parallel()
	const half = tasks.MaxFileSize / 2
	for name, text := range map[string]string{
		"quotes":     strings.Repeat(">", half),
		"quote rows": strings.Repeat(strings.Repeat("> ", 200)+"x\n", half/401),
		"lists":      strings.Repeat("- ", half/2),
		"numbers":    strings.Repeat("1. ", half/3),
		"fences":     strings.Repeat("```\nx\n```\n", half/10),
		"bars":       "> " + strings.Repeat("Depends on: TASK-01 | ", half/22),
		"ids":        "## Dependencies\n- " + strings.Repeat("TASK-01, ", half/9),
		"headings":   strings.Repeat("## Dependencies\n", half/16),
		"commas":     "## Dependencies\n" + strings.Repeat("TASK-01,\n", half/9),
		"wide table": "## Overview\n|" + strings.Repeat("a|", half/8) + "\n|" + strings.Repeat("-|", half/8) + "\n|" + strings.Repeat("b|", half/8),
		"long table": "## Overview\n| a | b |\n|---|---|\n" + strings.Repeat("| Depends on | TASK-01 |\n", half/25),
		"dashes":     strings.Repeat("-", half),
		"brackets":   strings.Repeat("[", half) + strings.Repeat("*", half/2),
		"comments":   strings.Repeat("<!--\n", half/5),
		"prefixes":   "## Dependencies\n- " + strings.Repeat("a-", half/2),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := tasks.Load(folder{"TASK-01.md": "# x\n", "TASK-02.md": text}.fs(), "tasks")
			require.NoError(t, err)
		})
	}
}
