package view

import (
	"fmt"
	"strings"

	"github.com/taskpipeline/pipeline/scheduler"
)

// Tally counts TASKs in words: "3 done, 1 failed, 2 not started", and after
// these what else there is. The first three are always there, in this order:
// scripts look for them.
func Tally(t scheduler.Totals) string {
	text := fmt.Sprintf("%d done, %d failed, %d not started", t.Done, t.Failed, t.NotStarted)
	t.Done, t.Failed, t.NotStarted = 0, 0, 0
	if more := nonzero(t); more != "" {
		text += ", " + more
	}
	return text
}

// nonzero counts TASKs in words, and says nothing of what there is none of.
func nonzero(t scheduler.Totals) string {
	var parts []string
	for _, part := range []struct {
		n    int
		word string
	}{
		{t.Done, "done"},
		{t.Failed, "failed"},
		{t.NotStarted, "not started"},
		{t.Interrupted, "interrupted"},
		{t.Waiting, "waiting"},
		{t.Skipped, "skipped"},
		{t.UpToDate, "up to date"},
	} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.word))
		}
	}
	return strings.Join(parts, ", ")
}
