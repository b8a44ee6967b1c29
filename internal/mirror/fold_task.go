package mirror

import (
	"strings"

	"github.com/taskpipeline/pipeline/internal/view"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/tasks"
)

// removed is the state of a TASK whose file is gone.
const removed = "removed"

// task is the row of a TASK; one that the record has not introduced gets one, too.
func (f *fold) task(id tasks.ID) *taskRow {
	t := f.tasks[id]
	if t == nil {
		t = &taskRow{session: f.session.session, task: str(id), state: str(view.NotStarted)}
		f.tasks[id] = t
	}
	f.taskChanged(t)
	return t
}

// specified takes over what a TASK is and with what it enters the session. What
// was done for an earlier text of it counts no more.
func (f *fold) specified(s *scheduler.TaskSpec) {
	t := f.task(s.ID)
	*t = taskRow{session: t.session, task: t.task, changed: true}
	t.describe(s)
	t.reason = str(s.Reason)
	switch {
	case s.Removed:
		t.state = removed
	case s.State == scheduler.AsDone:
		t.state, t.commit = str(view.UpToDate), str(s.Commit)
	case s.State == scheduler.AsLeft:
		t.state = str(view.NotAsked)
	default:
		t.state = str(view.NotStarted)
	}
}

func (t *taskRow) describe(s *scheduler.TaskSpec) {
	t.title, t.file, t.spec, t.needs = str(s.Title), str(s.File), str(s.Hash), ""
	if len(s.Deps) > 0 {
		t.needs = asJSON(s.Deps)
	}
}

// aboutTask takes over what the record concludes of a TASK. Nothing is decided
// here: the Plan's conclusions stand in the record.
func (f *fold) aboutTask(e *scheduler.Event) {
	t := f.task(e.Task)
	switch e.Type {
	case scheduler.StageStarted:
		t.state, t.reason = str(view.Running), ""
		t.stage, t.attempt, t.round = str(e.Stage), num(e.Attempt), num(roundOf(e))
	case scheduler.StageFinished:
		t.reason = str(e.Reason)
	case scheduler.LandingFinished:
		t.reason = str(view.LandingReason(e))
		if e.Outcome == scheduler.Blocked {
			t.state = str(view.Waiting)
		}
	case scheduler.WaitStarted:
		t.state, t.reason = str(view.Waiting), str(strings.TrimSuffix("for "+words(string(e.For))+": "+e.Reason, ": "))
	case scheduler.WaitEnded:
		t.state, t.reason = str(view.Running), ""
	case scheduler.Command:
		f.commanded(t, e)
	case scheduler.TaskLanded:
		t.state, t.reason, t.commit = str(view.Done), "", str(e.Commit)
	case scheduler.TaskFailed:
		t.state, t.reason = str(view.Failed), str(e.Reason)
	case scheduler.TaskSkipped:
		t.state, t.reason = str(view.Skipped), str(e.Reason)
	}
}

// commanded says that a TASK goes on; what a skip or a final reject come to is
// concluded in the record.
func (f *fold) commanded(t *taskRow, e *scheduler.Event) {
	switch e.Verb {
	case scheduler.Approve, scheduler.RetryIt:
		t.state, t.reason = str(view.Interrupted), ""
	case scheduler.Reject:
		t.state, t.reason = str(view.Interrupted), str("rejected: "+e.Reason)
	}
}

func words(s string) string { return strings.ReplaceAll(s, "_", " ") }
