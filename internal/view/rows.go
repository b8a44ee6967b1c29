package view

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// widest bounds every column of an answer but the last, on a terminal.
const widest = 60

// Rows writes the answer to a query as a table: names over columns, numbers
// flush right, nothing for what is not known. A terminal's lines are cut at its
// width; of a Style without one, nothing is cut. It prints at most limit rows,
// all of them if that is 0, and tells whether there are more.
func Rows(w io.Writer, names []string, rows iter.Seq2[[]any, error], limit int, st Style) (more bool, err error) {
	most := widest
	if st.Width == 0 {
		st.Width, most = math.MaxInt32, math.MaxInt32
	}
	head, rule := make([]cell, len(names)), make([]cell, len(names))
	lines := [][]cell{head, rule}
	numbers := make([]bool, len(names))
	for i, name := range names {
		head[i] = cell{text: name, hue: bold}
		numbers[i] = true
	}
	for row, err := range rows {
		if err != nil {
			return false, err
		}
		if more = limit > 0 && len(lines)-2 == limit; more {
			break
		}
		line := make([]cell, len(row))
		for i, v := range row {
			text, number := shown(v)
			line[i] = cell{text: text, right: number}
			numbers[i] = numbers[i] && (number || v == nil)
		}
		lines = append(lines, line)
	}
	for i := range names {
		head[i].right = numbers[i] && len(lines) > 2
		rule[i] = cell{text: strings.Repeat("-", breadth(lines, i, min(most, st.Width))), hue: dim}
	}
	out := bufio.NewWriter(w)
	for _, line := range columns(st, 0, most, lines) {
		fmt.Fprintln(out, line)
	}
	return more, out.Flush()
}

// breadth is how wide a column becomes.
func breadth(lines [][]cell, i, most int) int {
	n := 0
	for _, line := range lines {
		n = max(n, ansi.StringWidth(oneLine(line[i].text)))
	}
	return min(n, most)
}

// shown is a value as people read it. Sums of amounts are rounded: what is
// beyond the sixth decimal comes from adding, not from what was added.
func shown(v any) (text string, number bool) {
	switch v := v.(type) {
	case nil:
		return "", false
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(math.Round(v*1e6)/1e6, 'f', -1, 64), true
	case []byte:
		return "x'" + hex.EncodeToString(v) + "'", false
	}
	return fmt.Sprint(v), false
}

// RowsJSON writes the answer to a query as a JSON array of objects, each on a
// line of its own, as they come. A name that stands for several columns is
// numbered from the second on.
func RowsJSON(w io.Writer, names []string, rows iter.Seq2[[]any, error], limit int) (more bool, err error) {
	out := bufio.NewWriter(w)
	keys := keysOf(names)
	n := 0
	for row, err := range rows {
		if err != nil {
			_ = out.Flush() // the error says more
			return false, err
		}
		if more = limit > 0 && n == limit; more {
			break
		}
		separator := ",\n  {"
		if n++; n == 1 {
			separator = "[\n  {"
		}
		out.WriteString(separator)
		for i, v := range row {
			if i > 0 {
				out.WriteString(", ")
			}
			out.WriteString(keys[i] + ": " + jsonOf(v))
		}
		out.WriteString("}")
	}
	if n == 0 {
		out.WriteString("[")
	} else {
		out.WriteString("\n")
	}
	out.WriteString("]\n")
	return more, out.Flush()
}

func keysOf(names []string) []string {
	seen := map[string]int{}
	keys := make([]string, len(names))
	for i, name := range names {
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprintf("%s_%d", name, seen[name])
		}
		keys[i] = jsonOf(name)
	}
	return keys
}
