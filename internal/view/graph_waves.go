package view

import (
	"slices"

	"github.com/taskpipeline/pipeline/tasks"
)

// waves gives each TASK, by its position, the number of TASKs on the longest
// dependency path to it, itself counted: those of one wave could run together.
func waves(g *tasks.Graph) []int {
	wave := make([]int, g.Len())
	for i := range wave {
		wave[i] = 1
		for _, d := range g.Deps(i) {
			wave[i] = max(wave[i], wave[d]+1)
		}
	}
	return wave
}

// layered is the order of drawing: positions by wave, then as in the graph.
func layered(wave []int) []int {
	order := make([]int, len(wave))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return wave[a] - wave[b] })
	return order
}
