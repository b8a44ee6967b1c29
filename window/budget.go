package window

import (
	"fmt"
	"strings"
)

// OverBudget names the fields that hold more lines than is asked for, one
// sentence each: What 5, Why 4, Caution 3, Incomplete 2, blank lines not
// counted. Longer fields are kept whole; this is advice for people.
func OverBudget(h Handoff) []string {
	var over []string
	for _, field := range []struct {
		name, text string
		budget     int
	}{
		{"what", h.What, 5},
		{"why", h.Why, 4},
		{"caution", h.Caution, 3},
		{"incomplete", h.Incomplete, 2},
	} {
		if n := countLines(field.text); n > field.budget {
			over = append(over, fmt.Sprintf("%s has %d lines, asked for are at most %d", field.name, n, field.budget))
		}
	}
	return over
}

func countLines(s string) int {
	n := 0
	for line := range strings.SplitSeq(s, "\n") {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}
