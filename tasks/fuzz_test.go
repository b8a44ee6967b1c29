package tasks_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/tasks"
)

// FuzzLoad reads a folder of two drawn TASKs, a silent one and a drawn plan:
// whatever they say there is either a sound graph or an error at a place.
func FuzzLoad(f *testing.F) {
	seeds, err := filepath.Glob("testdata/folders/*/*.md")
	require.NoError(f, err)
	for _, name := range seeds {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(text, text, []byte("# WORK-01: x\n\n### TASK-03: y\n- **Depends on**: TASK-01\n"))
	}
	f.Fuzz(func(t *testing.T, first, second, plan []byte) {
		g, problems, err := tasks.Load(fstest.MapFS{
			"TASK-01.md":       {Data: first},
			"TASK-2-second.md": {Data: second},
			"TASK-03.md":       {Data: []byte("# TASK-03: silent\n")},
			"PLAN.md":          {Data: plan},
		}, "WORK-01")
		require.NoError(t, err)
		broken := false
		for _, p := range problems {
			broken = broken || p.Severity == tasks.Error
			require.NotEmpty(t, p.Message)
			require.NotEmpty(t, p.File)
			require.NotContains(t, p.String(), "\n")
		}
		require.Equal(t, broken, g == nil)
		if g == nil {
			return
		}
		require.Equal(t, 3, g.Len())
		taken := map[tasks.ID]bool{}
		for task := range g.All() {
			for _, d := range task.Deps {
				require.True(t, taken[d], "%s before %s", task.ID, d)
			}
			taken[task.ID] = true
			require.NotEmpty(t, task.Title)
			require.NotEmpty(t, task.SpecHash)
		}
	})
}

func FuzzParseID(f *testing.F) {
	f.Add("TASK-01")
	f.Add("WORK-20-task-0001")
	f.Fuzz(func(t *testing.T, s string) {
		id, ok := tasks.ParseID(s)
		if !ok {
			return
		}
		require.GreaterOrEqual(t, id.Number(), 0)
		again, ok := tasks.ParseID(string(id))
		require.True(t, ok)
		require.Equal(t, id, again)
	})
}
