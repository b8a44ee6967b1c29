package window

import "strings"

// summaryLines is how much of What a SUMMARY keeps.
const summaryLines = 3

// Trim is the handoff as it is sent at a level. FULL is the handoff itself,
// SUMMARY its What cut to the first three lines that are not blank, and DROP
// the zero Handoff.
func (h Handoff) Trim(l Level) Handoff {
	switch l {
	case Full:
		return h
	case Summary:
		return Handoff{What: firstLines(h.What, summaryLines)}
	}
	return Handoff{}
}

// firstLines keeps the first n lines of s that are not blank, and drops the
// blank ones between them.
func firstLines(s string, n int) string {
	var kept []string
	for line := range strings.SplitSeq(s, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if len(kept) == n {
			break
		}
		kept = append(kept, strings.TrimRight(line, " \t\r"))
	}
	return strings.Join(kept, "\n")
}
