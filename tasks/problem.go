package tasks

import (
	"strconv"
	"strings"
)

// String renders the problem as "file:line:col: message", the form editors
// jump to. Parts that are not known are left out, and a warning is marked.
func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			b.WriteString(":" + strconv.Itoa(p.Line))
			if p.Col > 0 {
				b.WriteString(":" + strconv.Itoa(p.Col))
			}
		}
		b.WriteString(": ")
	}
	if p.Severity == Warning {
		b.WriteString("warning: ")
	}
	b.WriteString(p.Message)
	return b.String()
}

// anyError reports whether a problem forbids a graph.
func anyError(problems []Problem) bool {
	for _, p := range problems {
		if p.Severity == Error {
			return true
		}
	}
	return false
}
