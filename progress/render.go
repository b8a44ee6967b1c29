package progress

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Render writes a progress.md in the form of the package's documentation. A
// zero time leaves its line without one. Parse reads back the same status and
// changes.
func Render(task, status string, started, updated time.Time, changes []Change) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s Progress\n\n", task)
	fmt.Fprintf(&b, "- Status: %s\n", status)
	fmt.Fprintf(&b, "- Started:%s\n", timeOf(started))
	fmt.Fprintf(&b, "- Updated:%s\n", timeOf(updated))
	b.WriteString("- Files changed:\n")
	for _, c := range changes {
		b.WriteString("  - " + codeSpan(c.Path))
		if c.Action != "" {
			b.WriteString(" — " + string(c.Action))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func timeOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return " " + t.UTC().Format(time.RFC3339)
}

// codeSpan is a path as a list of files holds it: in backticks, or, if it would
// not come back from there as it is, as a Go string literal.
func codeSpan(name string) string {
	if strings.Contains(name, "`") || strings.TrimSpace(name) != name || Printed(name) != name || nothing(name) {
		return strings.ReplaceAll(strconv.Quote(name), "<", `\x3c`) // no comment may begin in it
	}
	return "`" + name + "`"
}
