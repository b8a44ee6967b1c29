package mirror

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/scheduler"
)

// example is a session with two TASKs, one of which is done, the other FAILED.
func (p *mirrored) example(id string) *session.Session {
	p.Helper()
	s := p.session(id)
	p.record(s, begun("TASK-01", "TASK-02"), starts("TASK-01", dispatch.Builder, 1))
	p.conversation(s, "TASK-01", 1)
	p.record(s,
		ends("TASK-01", dispatch.Builder, 1, ""),
		starts("TASK-01", dispatch.Verifier, 1), ends("TASK-01", dispatch.Verifier, 1, "2 tests fail"),
		starts("TASK-01", dispatch.Builder, 2))
	p.conversation(s, "TASK-01", 2)
	p.record(s,
		ends("TASK-01", dispatch.Builder, 2, ""),
		starts("TASK-01", dispatch.Verifier, 2), ends("TASK-01", dispatch.Verifier, 2, ""),
		starts("TASK-01", dispatch.Committer, 2), ends("TASK-01", dispatch.Committer, 2, ""),
		scheduler.Event{Type: scheduler.LandingFinished, Task: "TASK-01", Outcome: scheduler.Landed, Commit: "c1"},
		scheduler.Event{Type: scheduler.TaskLanded, Task: "TASK-01", Commit: "c1"},
		starts("TASK-02", dispatch.Builder, 1), ends("TASK-02", dispatch.Builder, 1, "exit status 1"),
		scheduler.Event{Type: scheduler.TaskFailed, Task: "TASK-02", Reason: "exit status 1"},
		scheduler.Event{Type: scheduler.RunFinished, Verdict: scheduler.SomeFailed, Totals: &scheduler.Totals{Done: 1, Failed: 1}})
	return s
}

func TestLosingTheMirrorLosesNothing(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	p.example("s1")
	p.update()
	p.session("empty")
	p.example("s2")
	p.update()
	before := p.dump()
	require.NoError(t, os.Remove(p.mirror().Path()))
	p.rebuild()
	require.Equal(t, before, p.dump())
	require.NoError(t, os.Remove(p.mirror().Path()))
	p.update()
	require.Equal(t, before, p.dump())
}

func TestAnUpdateLeavesOneFile(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	s := p.example("s1")
	for range 3 {
		p.record(s, begun("TASK-01"))
		p.update()
		left, err := filepath.Glob(p.mirror().Path() + "*")
		require.NoError(t, err)
		require.Equal(t, []string{p.mirror().Path()}, left)
		p.dump()
	}
}
