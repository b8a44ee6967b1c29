package tasks_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/tasks"
)

var sizes = []int{1_000, 10_000, 100_000}

// layered is a plan of n TASKs in which each needs up to three of the ten
// before it.
func layered(n int) []tasks.Task {
	list := make([]tasks.Task, n)
	for i := range list {
		list[i] = tasks.Task{ID: id(i + 1), Title: "a step"}
		for _, back := range []int{1, 4, 9} {
			if i-back >= 0 {
				list[i].Deps = append(list[i].Deps, id(i+1-back))
			}
		}
	}
	return list
}

// chain is a plan of n TASKs in which each needs the one before.
func chain(n int) []tasks.Task {
	list := make([]tasks.Task, n)
	for i := range list {
		list[i].ID = id(i + 1)
		if i > 0 {
			list[i].Deps = []tasks.ID{id(i)}
		}
	}
	return list
}

func id(n int) tasks.ID { return tasks.ID(fmt.Sprintf("TASK-%02d", n)) }

// newGraph builds a graph that must be sound.
func newGraph(t testing.TB, list []tasks.Task) *tasks.Graph {
	t.Helper()
	g, problems := tasks.NewGraph(list)
	require.Empty(t, problems)
	return g
}

func BenchmarkNewGraph(b *testing.B) {
	for _, n := range sizes {
		list := layered(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				newGraph(b, list)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			for _, task := range layered(n) {
				text := fmt.Sprintf("# %s: %s\n\n## Dependencies\n", task.ID, task.Title)
				for _, d := range task.Deps {
					text += "- " + string(d) + " (required)\n"
				}
				text += "\n## Scope\nOne line.\n\n## Files\n| Path | Action | Description |\n|---|---|---|\n| `a/b.go` | CREATE | it |\n\n## Build\n```bash\ntrue\n```\n\n## Verify\n```bash\ntrue\n```\n"
				require.NoError(b, os.WriteFile(filepath.Join(dir, string(task.ID)+".md"), []byte(text), fs.FileMode(0o644)))
			}
			b.ReportAllocs()
			for b.Loop() {
				g, problems, err := tasks.LoadDir(dir)
				require.NoError(b, err)
				require.NotNil(b, g, problems)
			}
		})
	}
}

func BenchmarkAncestorsWithinTwo(b *testing.B) {
	for _, depth := range []int{10, 10_000} {
		g := newGraph(b, chain(depth))
		last := g.At(g.Len() - 1).ID
		b.Run(fmt.Sprint(depth), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for range g.Ancestors(last, 2) {
				}
			}
		})
	}
}

func BenchmarkAllAncestors(b *testing.B) {
	for _, depth := range []int{10, 10_000} {
		g := newGraph(b, chain(depth))
		last := g.At(g.Len() - 1).ID
		b.Run(fmt.Sprint(depth), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for range g.Ancestors(last, 0) {
				}
			}
		})
	}
}
