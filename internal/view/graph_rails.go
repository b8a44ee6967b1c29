package view

import (
	"strings"

	"github.com/taskpipeline/pipeline/tasks"
)

// rails draws a graph as lines that run down the left of a list, as `git log
// --graph` does. Each TASK has a rail from its row to the row of its last
// dependent. What it is shows in its mark:
//
//	○ needs nothing      ◇ needs nothing, and nothing needs it
//	● needs what it hangs on   ◆ the same, and nothing needs it
//
// so that a mark below the end of another rail cannot pass for its sequel.
type rails struct {
	g     *tasks.Graph
	lanes []lane
	at    map[int]int // lane of each TASK whose rail is open
}

// lane is one column of the drawing. open is the number of dependents that are
// still to come; 0 means that the column is free.
type lane struct{ task, open int }

// drawRails returns one line per TASK of order, or nil if they do not fit into
// the given number of lanes.
func drawRails(g *tasks.Graph, order []int, most int) []string {
	r := rails{g: g, at: map[int]int{}}
	rows := make([]string, 0, len(order))
	for _, task := range order {
		rows = append(rows, r.row(task))
		if len(r.lanes) > most {
			return nil
		}
	}
	return rows
}

// row draws one TASK and moves the rails on.
func (r *rails) row(task int) string {
	from := map[int]bool{} // the lanes that this row hangs on
	for _, d := range r.g.Deps(task) {
		at := r.at[d]
		from[at] = true
		r.lanes[at].open--
	}
	own := r.place(from)
	first, last := own, own
	for at := range from {
		first, last = min(first, at), max(last, at)
	}

	var b strings.Builder
	for at, l := range r.lanes {
		switch {
		case at == own:
			b.WriteRune(r.mark(task))
		case from[at]:
			b.WriteRune(joint(at == first, at == last, l.open > 0))
		case l.open > 0:
			b.WriteRune('│')
		case first < at && at < last:
			b.WriteRune('─')
		default:
			b.WriteRune(' ')
		}
		if first <= at && at < last {
			b.WriteRune('─')
		} else {
			b.WriteRune(' ')
		}
	}

	for _, d := range r.g.Deps(task) {
		if r.lanes[r.at[d]].open == 0 {
			delete(r.at, d)
		}
	}
	r.lanes[own] = lane{task: task, open: len(r.g.Dependents(task))}
	if r.lanes[own].open > 0 {
		r.at[task] = own
	}
	r.trim()
	return strings.TrimRight(b.String(), " ")
}

// place finds the lane of a TASK: the first that ends here, so that a chain is
// one straight line, else the first free one.
func (r *rails) place(from map[int]bool) int {
	free := -1
	for at, l := range r.lanes {
		if l.open > 0 {
			continue
		}
		if from[at] {
			return at
		}
		if free < 0 {
			free = at
		}
	}
	if free < 0 {
		r.lanes = append(r.lanes, lane{})
		free = len(r.lanes) - 1
	}
	return free
}

// trim forgets free lanes at the right.
func (r *rails) trim() {
	for len(r.lanes) > 0 && r.lanes[len(r.lanes)-1].open == 0 {
		r.lanes = r.lanes[:len(r.lanes)-1]
	}
}

func (r *rails) mark(task int) rune {
	needs, needed := len(r.g.Deps(task)) > 0, len(r.g.Dependents(task)) > 0
	switch {
	case needs && needed:
		return '●'
	case needs:
		return '◆'
	case needed:
		return '○'
	}
	return '◇'
}

// joint is where a row meets the rail of a dependency that goes on or ends.
func joint(first, last, goesOn bool) rune {
	switch {
	case first && goesOn:
		return '├'
	case first:
		return '╰'
	case last && goesOn:
		return '┤'
	case last:
		return '╯'
	case goesOn:
		return '┼'
	}
	return '┴'
}
