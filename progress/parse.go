package progress

import (
	"regexp"
	"strings"

	"github.com/taskpipeline/pipeline/window"
)

// MaxSize is the largest progress.md that is read, in bytes.
const MaxSize = 1 << 20

// The four states of a TASK's work, as a status line spells them.
const (
	Pending    = "PENDING"
	Started    = "STARTED"
	InProgress = "IN_PROGRESS"
	Completed  = "COMPLETED"
)

// Report is what a progress.md says. The zero Report is that of a file that
// does not exist.
type Report struct {
	Found    bool
	Statuses []string // the value of every status line, in order
	Files    []Change // claimed paths, cleaned, each once; Action "" if none was named
}

// statusLine is a status with its key, such as "- **Status:** COMPLETED".
var statusLine = regexp.MustCompile(`^(?:[-*+][ \t]+)?(?i:status|\*\*status|__status)(?:\*\*|__)?[ \t]*:[ \t]*(.*)$`)

// filesLine is the key of the list of files, such as "- Files changed:".
var filesLine = regexp.MustCompile(`^(?:[-*+][ \t]+)?(?i:(?:\*\*|__)?files[ \t]+changed)(?:\*\*|__)?[ \t]*:(?:\*\*|__)?[ \t]*(.*)$`)

// Parse reads a progress.md. It always succeeds: what is not understood is
// passed over, and then missing from the report.
//
// Read as status: `Status:` as a line of its own, with or without a bullet, a
// quote mark or bold, in any case; or the first line below a `Status` heading.
// Read as files: the bullets nested below `Files changed:`, or below a heading
// of that name. An entry is "`path` — ACTION" (or – or -), "path (created)" or
// "Modified: path". Code blocks and HTML comments are not read.
func Parse(file []byte) Report {
	r := Report{Found: true}
	var list fileList
	afterHeading := false // below a Status heading, before its value
	for _, l := range lines(string(file)) {
		if l.blank() {
			continue
		}
		level, title := l.heading()
		value, isStatus := l.status()
		switch {
		case isStatus:
			r.Statuses = append(r.Statuses, value)
		case afterHeading && level == 0 && !l.hidden:
			r.Statuses = append(r.Statuses, plain(l.text))
		case afterHeading:
			r.Statuses = append(r.Statuses, "")
		}
		afterHeading = level > 0 && strings.EqualFold(strings.TrimSuffix(title, ":"), "status")
		list.read(l, level, title)
	}
	if afterHeading {
		r.Statuses = append(r.Statuses, "")
	}
	r.Files = list.files
	return r
}

// status is the value of a line that states one.
func (l line) status() (string, bool) {
	if l.hidden || l.indent > 3 {
		return "", false
	}
	m := statusLine.FindStringSubmatch(l.text)
	if m == nil {
		return "", false
	}
	return plain(m[1]), true
}

// plain is a value without the bold marks around it.
func plain(s string) string {
	s = window.Clean(s)
	for _, bold := range []string{"**", "__"} {
		s = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(s, bold), bold))
	}
	return s
}
