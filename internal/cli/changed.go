package cli

import (
	"fmt"
	"strings"

	"github.com/taskpipeline/pipeline/tasks"
)

// noticeChanges reads the tasks folder once more when the run is over, and says
// which TASKs are not as the run knew them. A run goes by what it read at its
// start; the next one takes the changes over.
func (b *build) noticeChanges() {
	now, problems, err := tasks.LoadDir(b.folder.Dir)
	if err != nil || now == nil {
		if err == nil && len(problems) > 0 {
			err = fmt.Errorf("%s", b.folder.line(problems[0]))
		}
		fmt.Fprintf(b.p.Stderr, "pipeline: warning: %s changed while the run went on, and cannot be read now: %v\n", b.folder.Name, err)
		return
	}
	var changed []string
	for t := range b.folder.Graph.All() {
		if n, ok := now.Get(t.ID); !ok || n.SpecHash != t.SpecHash {
			changed = append(changed, string(t.ID))
		}
	}
	for t := range now.All() {
		if _, ok := b.folder.Graph.Index(t.ID); !ok {
			changed = append(changed, string(t.ID))
		}
	}
	if len(changed) == 0 {
		return
	}
	if len(changed) > 5 {
		changed = append(changed[:5], fmt.Sprintf("%d more", len(changed)-5))
	}
	fmt.Fprintf(b.p.Stderr, "pipeline: warning: changed while the run went on: %s; it went by the files as they were at its start\n  next: pipeline plan\n",
		strings.Join(changed, ", "))
}
