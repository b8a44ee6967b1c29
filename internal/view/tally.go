package view

import (
	"fmt"

	"github.com/taskpipeline/pipeline/scheduler"
)

// Tally counts TASKs in words: "3 done, 1 failed, 2 not started", and after
// these what else there is. The first three are always there, in this order:
// scripts look for them.
func Tally(t scheduler.Totals) string {
	text := fmt.Sprintf("%d done, %d failed, %d not started", t.Done, t.Failed, t.NotStarted)
	for _, more := range []struct {
		n    int
		word string
	}{
		{t.Interrupted, "interrupted"},
		{t.Waiting, "waiting"},
		{t.Skipped, "skipped"},
		{t.UpToDate, "up to date"},
	} {
		if more.n > 0 {
			text += fmt.Sprintf(", %d %s", more.n, more.word)
		}
	}
	return text
}
