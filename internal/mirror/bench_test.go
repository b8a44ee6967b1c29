package mirror

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/tasks"
)

// BenchmarkARunOf10000TasksAtItsEnd folds the record of such a run, of 80,000
// events, at once.
func BenchmarkARunOf10000TasksAtItsEnd(b *testing.B) {
	p := newMirrored(b)
	ids := make([]tasks.ID, 10_000)
	for i := range ids {
		ids[i] = tasks.ID(fmt.Sprintf("TASK-%05d", i+1))
	}
	events := []scheduler.Event{begun(ids...)}
	for _, id := range ids {
		for _, stage := range []dispatch.Stage{dispatch.Builder, dispatch.Verifier, dispatch.Committer} {
			events = append(events, starts(id, stage, 1), ends(id, stage, 1, ""))
		}
		events = append(events, scheduler.Event{Type: scheduler.LandingFinished, Task: id, Outcome: scheduler.Landed, Commit: "c1"},
			scheduler.Event{Type: scheduler.TaskLanded, Task: id, Commit: "c1"})
	}
	p.record(p.session("s1"), events...)
	for b.Loop() {
		p.update()
		require.NoError(b, os.Remove(p.mirror().Path()))
	}
}
