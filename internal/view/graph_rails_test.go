package view

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taskpipeline/pipeline/tasks"
)

// readRails reads dependencies back from a drawing, by its characters alone.
func readRails(rows []string) [][]int {
	var open []int // the row whose rail runs through a lane, or -1
	var deps [][]int
	for n, row := range rows {
		cells := []rune(row)
		cell := func(at int) rune {
			if at < len(cells) {
				return cells[at]
			}
			return ' '
		}
		for 2*len(open) < len(cells)+1 {
			open = append(open, -1)
		}
		own := 0
		for !strings.ContainsRune("○●◆◇", cell(2*own)) {
			own++
		}
		var needs []int
		if strings.ContainsRune("●◆", cell(2*own)) && open[own] >= 0 {
			needs = append(needs, open[own])
		}
		meet := func(at int) {
			if strings.ContainsRune("├┤┼╰╯┴", cell(2*at)) {
				needs = append(needs, open[at])
			}
		}
		for at := own; at > 0 && cell(2*at-1) == '─'; at-- {
			meet(at - 1)
		}
		for at := own; cell(2*at+1) == '─'; at++ {
			meet(at + 1)
		}
		for at := range open {
			if !strings.ContainsRune("│├┤┼", cell(2*at)) {
				open[at] = -1
			}
		}
		if strings.ContainsRune("○●", cell(2*own)) {
			open[own] = n
		}
		slices.Sort(needs)
		deps = append(deps, needs)
	}
	return deps
}

func TestADrawingShowsExactlyTheDependencies(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var list []tasks.Task
		for i := range rapid.IntRange(1, 14).Draw(t, "tasks") {
			one := tasks.Task{ID: tasks.ID(fmt.Sprintf("TASK-%02d", i+1))}
			for d := range i {
				if rapid.IntRange(0, 3).Draw(t, "edge") == 0 {
					one.Deps = append(one.Deps, list[d].ID)
				}
			}
			list = append(list, one)
		}
		g, problems := tasks.NewGraph(list)
		require.Empty(t, problems)
		order := layered(waves(g))
		rows := drawRails(g, order, 100)

		read := readRails(rows)
		for n, task := range order {
			var want []int
			for _, d := range g.Deps(task) {
				want = append(want, slices.Index(order, d))
			}
			slices.Sort(want)
			require.Equal(t, want, read[n], "row %d of\n%s", n+1, strings.Join(rows, "\n"))
		}
	})
}
