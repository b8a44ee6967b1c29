package mirror

import (
	"encoding/json"

	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/internal/view"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/tasks"
)

// fold brings the rows of one session up to date, event by event. It knows of
// the past only what stands in the rows: folding a record in parts and at once
// come to the same.
type fold struct {
	w       *writer
	session sessionRow
	tasks   map[tasks.ID]*taskRow
	last    map[tasks.ID]*stageRow // of each TASK, the row that was begun last
	changed bool                   // something is to be written, or was

	changedTasks  []*taskRow
	changedStages []*stageRow
}

// newFold begins with what is there of a session.
func newFold(w *writer, id string) *fold {
	f := &fold{w: w, session: sessionRow{session: str(id), state: str(session.Empty)}}
	w.each(func(scan func(...any)) { scan(f.session.fields()...) },
		"SELECT "+table("sessions").list()+" FROM sessions WHERE session = ?", id)
	return f
}

// load takes in the rows that events may change.
func (f *fold) load() {
	f.tasks, f.last = map[tasks.ID]*taskRow{}, map[tasks.ID]*stageRow{}
	if f.session.seq == 0 {
		return
	}
	f.w.each(func(scan func(...any)) {
		t := &taskRow{}
		scan(t.fields()...)
		f.tasks[tasks.ID(t.task)] = t
	}, "SELECT "+table("tasks").list()+" FROM tasks WHERE session = ?", &f.session.session)
	// Of what was begun, only the last of each TASK can still change.
	f.w.each(func(scan func(...any)) {
		s := &stageRow{}
		scan(s.fields()...)
		f.last[tasks.ID(s.task)] = s
	}, "SELECT "+table("stages").list()+` FROM stages WHERE session = ?1
		AND seq IN (SELECT max(seq) FROM stages WHERE session = ?1 GROUP BY task)`, &f.session.session)
}

// position is where the fold stands in the record.
func (f *fold) position() session.Position {
	return session.Position{Seq: f.session.seq, End: f.session.bytes}
}

// apply folds one line.
func (f *fold) apply(line *session.Line) {
	if f.tasks == nil {
		f.load()
	}
	e := &line.Event
	f.changed = true
	f.w.put("events", &f.session.session, e.Seq, string(moment(e.Time)), string(e.Type), orNull(e.Task), orNull(e.Stage),
		countOrNull(e.Attempt), countOrNull(roundOf(e)), orNull(e.Reason), string(line.Raw))
	f.session.seq, f.session.bytes = line.At.Seq, line.At.End
	f.aboutSession(e)
	switch e.Type {
	case scheduler.RunStarted:
		for i := range e.Tasks {
			f.specified(&e.Tasks[i])
		}
	case scheduler.RunJoined:
		for i := range e.Tasks {
			f.task(e.Tasks[i].ID).describe(&e.Tasks[i])
		}
		f.cutOff()
	case scheduler.RunFinished:
		f.cutOff()
	case scheduler.TaskRespecified:
		if e.Spec != nil {
			f.specified(e.Spec)
		}
	case scheduler.AgentSent:
		f.sent(line)
	case scheduler.AgentReplied:
		f.replied(line)
	default:
		if e.Task != "" {
			f.aboutTask(e)
			f.aboutStage(e)
		}
	}
}

func (f *fold) aboutSession(e *scheduler.Event) {
	s := &f.session
	if s.started == "" {
		s.started = moment(e.Time)
	}
	s.updated = moment(e.Time)
	switch e.Type {
	case scheduler.RunStarted:
		s.work, s.title, s.branch, s.folder = str(e.Work), str(e.Title), str(e.Branch), str(e.Folder)
		s.runs++
	case scheduler.RunJoined:
		s.runs++
	case scheduler.AgentSent, scheduler.AgentReplied, scheduler.AgentTool, scheduler.AgentText, scheduler.Warning:
		return
	}
	s.state, s.verdict = str(session.Open), ""
	s.done, s.failed, s.skipped, s.waiting, s.notStarted, s.upToDate, s.interrupted = 0, 0, 0, 0, 0, 0, 0
	if e.Type != scheduler.RunFinished {
		return
	}
	s.state, s.verdict = str(session.Finished), str(e.Verdict)
	if t := e.Totals; t != nil {
		s.done, s.failed, s.skipped, s.waiting = int64(t.Done), int64(t.Failed), int64(t.Skipped), int64(t.Waiting)
		s.notStarted, s.upToDate, s.interrupted = int64(t.NotStarted), int64(t.UpToDate), int64(t.Interrupted)
	}
}

// cutOff ends what was under way when a run ended without an end of it.
func (f *fold) cutOff() {
	for _, t := range f.tasks {
		if t.state == str(view.Running) {
			t.state = str(view.Interrupted)
			f.taskChanged(t)
		}
	}
	for _, s := range f.last {
		if s.status == underWay {
			s.status = str(view.CutOff)
			f.stageChanged(s)
		}
	}
}

func (f *fold) taskChanged(t *taskRow) {
	if !t.changed {
		t.changed = true
		f.changedTasks = append(f.changedTasks, t)
	}
}

func (f *fold) stageChanged(s *stageRow) {
	if !s.changed {
		s.changed = true
		f.changedStages = append(f.changedStages, s)
	}
}

// write writes the rows that have changed.
func (f *fold) write() {
	for _, t := range f.changedTasks {
		f.w.put("tasks", t.fields()...)
		t.changed = false
	}
	for _, s := range f.changedStages {
		f.w.put("stages", s.fields()...)
		s.changed = false
	}
	f.changedTasks, f.changedStages = nil, nil
	f.w.put("sessions", f.session.fields()...)
}

func roundOf(e *scheduler.Event) int {
	if e.Attempt > 0 {
		return max(e.Round, 1)
	}
	return e.Round
}

func orNull[S ~string](s S) any {
	if s == "" {
		return nil
	}
	return string(s)
}

func countOrNull(n int) any {
	if n == 0 {
		return nil
	}
	return int64(n)
}

// asJSON is a value that a column holds as JSON.
func asJSON(v any) str {
	b, err := json.Marshal(v)
	if err != nil {
		return "" // plain data
	}
	return str(b)
}
