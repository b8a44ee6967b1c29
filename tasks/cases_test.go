package tasks_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/tasks"
)

// wanted is the want.json of one folder: what reading it must give.
type wanted struct {
	Exit   int                     // 0 a graph, 2 an error, 4 no TASK
	Order  []tasks.ID              // of the graph
	Deps   map[tasks.ID][]tasks.ID // exactly these TASKs
	Titles map[tasks.ID]string
	Errors []struct {
		File alternatives
		Line int // 0: any
		Says []alternatives
	}
	Warnings []struct{ Says []alternatives }
	Gen      []struct {
		Path  string
		Parts [][2]any // text, times
		Link  string
		Dir   bool
		Mode  string
	}
}

// alternatives is a string or a list of strings, one of which is meant.
type alternatives []string

func (a *alternatives) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*a = alternatives{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(a))
}

func TestEveryFolderReadsAsItsWantSays(t *testing.T) {
	t.Parallel()
	cases, err := filepath.Glob("testdata/folders/*/want.json")
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	for _, file := range cases {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			t.Parallel()
			var want wanted
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(raw, &want))
			folder, locked := materialise(t, filepath.Dir(file), want)

			var g *tasks.Graph
			var problems []tasks.Problem
			if len(locked) > 0 {
				g, problems, err = tasks.Load(lockedFS{os.DirFS(folder), locked}, "tasks")
			} else {
				g, problems, err = tasks.LoadDir(folder)
			}
			switch want.Exit {
			case 4:
				require.ErrorIs(t, err, tasks.ErrNoTasks)
				require.Nil(t, g)
			case 2:
				require.NoError(t, err)
				require.Nil(t, g)
				sameErrors(t, want, problems)
			default:
				require.NoError(t, err)
				require.NotNil(t, g, "%v", problems)
				sameGraph(t, want, g, problems)
			}
		})
	}
}

// materialise copies a case to a fresh folder and makes what is too big or too
// odd to store. It returns the names that must not be readable.
func materialise(t *testing.T, from string, want wanted) (folder string, locked []string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "tasks")
	require.NoError(t, os.CopyFS(folder, os.DirFS(from)))
	require.NoError(t, os.Remove(filepath.Join(folder, "want.json")))
	for _, g := range want.Gen {
		path := filepath.Join(folder, g.Path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		switch {
		case g.Dir:
			require.NoError(t, os.Mkdir(path, 0o755))
		case g.Link != "":
			require.NoError(t, os.Symlink(g.Link, path))
		case g.Mode != "":
			locked = append(locked, g.Path)
		default:
			var text strings.Builder
			for _, part := range g.Parts {
				text.WriteString(strings.Repeat(part[0].(string), int(part[1].(float64))))
			}
			require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o644))
		}
	}
	return folder, locked
}

// lockedFS refuses to open some names, as permissions do for anybody but root.
type lockedFS struct {
	fs.FS
	names []string
}

func (l lockedFS) Open(name string) (fs.File, error) {
	if slices.Contains(l.names, name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return l.FS.Open(name)
}

func sameGraph(t *testing.T, want wanted, g *tasks.Graph, problems []tasks.Problem) {
	t.Helper()
	var order []tasks.ID
	deps := map[tasks.ID][]tasks.ID{}
	for task := range g.All() {
		order = append(order, task.ID)
		deps[task.ID] = append([]tasks.ID{}, task.Deps...)
		if title, named := want.Titles[task.ID]; named {
			require.Equal(t, title, task.Title)
		}
	}
	require.Equal(t, want.Order, order)
	require.Equal(t, want.Deps, deps)
	for _, w := range want.Warnings {
		require.True(t, slices.ContainsFunc(problems, func(p tasks.Problem) bool {
			return p.Severity == tasks.Warning && says(p, w.Says)
		}), "no warning says %v: %v", w.Says, problems)
	}
}

// sameErrors asks for each wanted error at its place, and for none elsewhere.
func sameErrors(t *testing.T, want wanted, problems []tasks.Problem) {
	t.Helper()
	problems = slices.DeleteFunc(problems, func(p tasks.Problem) bool { return p.Severity != tasks.Error })
	met := make([]bool, len(problems))
	for _, e := range want.Errors {
		found := errors.New("missing")
		for i, p := range problems {
			if slices.Contains(e.File, p.File) && (e.Line == 0 || e.Line == p.Line) {
				met[i] = true
				if says(p, e.Says) {
					found = nil
				}
			}
		}
		require.NoError(t, found, "%+v in %v", e, problems)
	}
	for i, p := range problems {
		require.True(t, met[i], "nobody expects %s", p)
	}
}

func says(p tasks.Problem, wanted []alternatives) bool {
	for _, alternatives := range wanted {
		if !slices.ContainsFunc(alternatives, func(s string) bool { return strings.Contains(p.Message, s) }) {
			return false
		}
	}
	return true
}
