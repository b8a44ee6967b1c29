package progress

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/taskpipeline/pipeline/window"
)

// Result is what a result.md says of a finished TASK.
type Result struct {
	Task         string    // "TASK-03"
	Work         string    // the plan's name and title, "WORK-01 — User authentication"
	Completed    time.Time // UTC, to the minute; zero if not said
	Done         bool      // the status is DONE
	Spec         string    // hash of the TASK it was made for, "sha256:…"; "" in older files
	Summary      string
	Checklist    []Item
	Verification []string // one line each
	Files        []Change
	Issues       string
	Notes        string // for the TASKs that follow
	Builder      window.Handoff
	Verifier     window.Handoff
}

// Item is one line of a checklist.
type Item struct {
	Text string
	Done bool
}

// timeForm is how result.md spells a time.
const timeForm = "2006-01-02 15:04"

// Render writes the result.md of the package's documentation. Equal results
// give equal bytes. ParseResult reads back the same value, texts cleaned, but
// for an empty Incomplete, which is written and read as "None".
func (r Result) Render() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s Result\n\n", header(r.Task))
	if r.Work != "" {
		fmt.Fprintf(&b, "> WORK: %s\n", header(r.Work))
	}
	if !r.Completed.IsZero() {
		fmt.Fprintf(&b, "> Completed: %s\n", r.Completed.UTC().Format(timeForm))
	}
	if r.Done {
		b.WriteString("> Status: **DONE**\n")
	}
	if r.Spec != "" {
		fmt.Fprintf(&b, "> Spec: %s\n", header(r.Spec))
	}
	writeText(&b, "Summary", r.Summary)
	writeChecklist(&b, r.Checklist)
	writeList(&b, "Verification Results", r.Verification)
	writeFiles(&b, r.Files)
	writeText(&b, "Issues Encountered", r.Issues)
	writeText(&b, "Notes for Subsequent Tasks", r.Notes)
	b.WriteString("\n## Context Handoff\n")
	writeHandoff(&b, "Builder", r.Builder)
	writeHandoff(&b, "Verifier", r.Verifier)
	return b.Bytes()
}

func writeText(b *bytes.Buffer, title, text string) {
	if text = escapeText(window.Clean(text)); text == "" {
		text = "None"
	}
	fmt.Fprintf(b, "\n## %s\n\n%s\n", title, text)
}

func writeChecklist(b *bytes.Buffer, items []Item) {
	lines := make([]string, len(items))
	for i, item := range items {
		mark := "[ ] "
		if item.Done {
			mark = "[x] "
		}
		lines[i] = mark + oneLine(item.Text)
	}
	writeList(b, "Completed Checklist", lines)
}

func writeList(b *bytes.Buffer, title string, lines []string) {
	fmt.Fprintf(b, "\n## %s\n\n", title)
	if len(lines) == 0 {
		b.WriteString("None\n")
	}
	for _, l := range lines {
		fmt.Fprintf(b, "- %s\n", escapeText(oneLine(l)))
	}
}

func writeFiles(b *bytes.Buffer, files []Change) {
	b.WriteString("\n## Files Changed\n")
	for _, group := range []struct {
		title  string
		action Action
	}{{"Created", Create}, {"Modified", Modify}, {"Deleted", Delete}} {
		fmt.Fprintf(b, "\n### %s\n\n", group.title)
		empty := true
		for _, f := range files {
			if f.Action == group.action {
				fmt.Fprintf(b, "- %s\n", codeSpan(f.Path))
				empty = false
			}
		}
		if empty {
			b.WriteString("None\n")
		}
	}
}

func writeHandoff(b *bytes.Buffer, who string, h window.Handoff) {
	fmt.Fprintf(b, "\n### %s Context (FULL)\n\n", who)
	h = h.Clean()
	if h.Incomplete == "" {
		h.Incomplete = "None"
	}
	for _, field := range []struct{ name, text string }{
		{"what", h.What}, {"why", h.Why}, {"caution", h.Caution}, {"incomplete", h.Incomplete},
	} {
		fmt.Fprintf(b, "- **%s**:%s\n", field.name, indented(field.text))
	}
}

// indented is a field's text after its colon: its first line on the same line,
// the others below it, indented.
func indented(s string) string {
	if s == "" {
		return ""
	}
	lines := strings.Split(escapeComments(s), "\n")
	for i, l := range lines[1:] {
		if l != "" {
			lines[i+1] = "  " + l
		}
	}
	return " " + strings.Join(lines, "\n")
}

// oneLine is a text cleaned and put on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(window.Clean(s)), " ") }

// header is a text as it stands above the sections.
func header(s string) string { return escapeComments(oneLine(s)) }
