package tasks_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/tasks"
)

func TestDistanceIsTheShortestPathAndDecidesTheLevel(t *testing.T) {
	t.Parallel()
	cases, err := filepath.Glob("testdata/window/*")
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	for _, dir := range cases {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			var plan struct {
				Deps   map[tasks.ID][]tasks.ID
				Window struct{ Full, Summary int }
			}
			plan.Window.Full, plan.Window.Summary = 1, 2
			read(t, filepath.Join(dir, "graph.json"), &plan)
			type seen struct {
				Ancestor tasks.ID
				Distance int
				Level    string
			}
			var want map[tasks.ID][]seen
			read(t, filepath.Join(dir, "want.json"), &want)

			var list []tasks.Task
			for _, id := range slices.Sorted(maps.Keys(plan.Deps)) {
				list = append(list, tasks.Task{ID: id, Deps: plan.Deps[id]})
			}
			g := newGraph(t, list)
			require.Len(t, want, g.Len())
			for id, ancestors := range want {
				got := []seen{}
				for ancestor, distance := range g.Ancestors(id, 0) {
					level := "DROP"
					if distance <= plan.Window.Full {
						level = "FULL"
					} else if distance <= plan.Window.Summary {
						level = "SUMMARY"
					}
					got = append(got, seen{ancestor, distance, level})
				}
				require.Equal(t, ancestors, got, id)
			}
		})
	}
}

func read(t *testing.T, file string, into any) {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, into))
}
