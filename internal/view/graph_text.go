package view

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/taskpipeline/pipeline/tasks"
)

// GraphText draws a graph for a terminal of the given number of columns: one
// row per TASK, wave by wave, with its rails on the left. A graph whose rails
// would take more than half of the columns is listed with what each TASK needs.
func GraphText(w io.Writer, g *tasks.Graph, columns int) error {
	wave := waves(g)
	order := layered(wave)
	rows := drawRails(g, order, columns/4)
	railed := rows != nil
	if !railed {
		rows = make([]string, len(order))
	}
	widest := 0
	for _, row := range rows {
		widest = max(widest, utf8.RuneCountInString(row))
	}
	if railed {
		widest += 2
	}
	number := len(fmt.Sprint(wave[order[len(order)-1]]))

	out := bufio.NewWriter(w)
	for n, i := range order {
		label := ""
		if n == 0 || wave[order[n-1]] != wave[i] {
			label = fmt.Sprint(wave[i])
		}
		t := g.At(i)
		pad := strings.Repeat(" ", widest-utf8.RuneCountInString(rows[n]))
		text := string(t.ID) + "  " + t.Title
		if !railed && len(t.Deps) > 0 {
			text = string(t.ID) + " ← " + numbers(t.Deps) + "  " + t.Title
		}
		fmt.Fprintf(out, "%*s  %s%s%s\n", number, label, rows[n], pad, Fit(text, columns-number-2-widest))
	}
	return out.Flush()
}

// numbers lists ids without the word they share.
func numbers(ids []tasks.ID) string {
	short := make([]string, len(ids))
	for i, id := range ids {
		short[i] = strings.TrimPrefix(string(id), "TASK-")
	}
	return strings.Join(short, " ")
}
