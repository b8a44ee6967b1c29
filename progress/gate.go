package progress

import (
	"path"
	"strconv"
	"strings"
	"unicode"
)

// The reasons for which the gate refuses, as people and scripts read them. The
// last four are followed by a path.
const (
	NotFound     = "progress.md not found"
	NotCompleted = "status not COMPLETED"
	NoFiles      = "no files changed"
	Outside      = "path outside the workspace: "
	Foreign      = "record of a TASK changed: "
	Unchanged    = "claimed but unchanged: "
	Unlisted     = "changed but not listed: "
)

// Gate decides whether the work may go on to be committed, as far as the file
// alone can tell: it exists, exactly one line states the status and it is
// exactly COMPLETED, at least one path is listed, and all of them lie inside
// the workspace and outside .git. It checks in this order, and returns the
// first reason to refuse.
func (r Report) Gate() (reason string, ok bool) {
	switch {
	case !r.Found:
		return NotFound, false
	case len(r.Statuses) != 1 || r.Statuses[0] != Completed:
		return NotCompleted, false
	case len(r.Files) == 0:
		return NoFiles, false
	}
	for _, f := range r.Files {
		if outside(f.Path) {
			return Outside + Printed(f.Path), false
		}
	}
	return "", true
}

func outside(name string) bool {
	if path.IsAbs(name) {
		return true
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." || strings.EqualFold(part, ".git") {
			return true
		}
	}
	return false
}

// Claims compares the listed paths with what really changed. Unchanged are the
// listed paths that did not; Undeclared are the changes that are not listed,
// in the order of changes.
func (r Report) Claims(changes []Change) (unchanged []string, undeclared []Change) {
	changed := make(map[string]bool, len(changes))
	for _, c := range changes {
		changed[c.Path] = true
	}
	listed := make(map[string]bool, len(r.Files))
	for _, f := range r.Files {
		listed[f.Path] = true
		if !changed[f.Path] {
			unchanged = append(unchanged, f.Path)
		}
	}
	for _, c := range changes {
		if !listed[c.Path] {
			undeclared = append(undeclared, c)
		}
	}
	return unchanged, undeclared
}

// Printed is a path as it is shown to people: as it is, or, if it holds anything
// that would not show, as a Go string literal.
func Printed(name string) string {
	for _, r := range name {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return strconv.Quote(name)
		}
	}
	return name
}
