package view

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// cell is one text of a table.
type cell struct {
	text  string
	hue   hue
	right bool // set flush right
}

// maxColumn bounds every column of a table but the last.
const maxColumn = 34

// table lays rows out in columns that are as wide as their widest text, two
// spaces apart; the last column takes what is left of the line and is cut
// there. Wide characters count as the two columns that they take.
func table(s Style, indent int, rows [][]cell) []string {
	return columns(s, indent, maxColumn, rows)
}

// columns is table with another bound for every column but the last.
func columns(s Style, indent, most int, rows [][]cell) []string {
	var widths []int
	for _, row := range rows {
		for i := range row {
			row[i].text = oneLine(row[i].text)
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], min(ansi.StringWidth(row[i].text), most))
		}
	}
	lines := make([]string, len(rows))
	for r, row := range rows {
		var b strings.Builder
		b.WriteString(strings.Repeat(" ", indent))
		left := s.width() - indent
		for i, c := range row {
			last := i == len(row)-1
			room := min(widths[i], left)
			if last {
				room = left
			}
			text := Fit(c.text, room)
			gap := strings.Repeat(" ", max(min(widths[i], room)-ansi.StringWidth(text), 0))
			switch {
			case c.right:
				b.WriteString(gap + s.paint(c.hue, text))
			case last:
				b.WriteString(s.paint(c.hue, text))
			default:
				b.WriteString(s.paint(c.hue, text) + gap)
			}
			if left -= room + 2; !last {
				b.WriteString("  ")
			}
			left = max(left, 0)
		}
		lines[r] = strings.TrimRight(b.String(), " ")
	}
	return lines
}
