package view

import (
	"slices"
	"strings"
	"time"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// Record is a session's events folded once for all that is shown of it: the
// Plan, which knows where each TASK stands, and the history of its steps. It is
// changed by Apply alone and is not safe for concurrent use.
type Record struct {
	Plan     *scheduler.Plan
	Live     bool      // a run is at work on it now; for the caller to say
	Started  time.Time // first event
	Joined   time.Time // run_started or run_joined of the last run
	Updated  time.Time // last event
	Finished *scheduler.Event

	tasks  map[tasks.ID]*TaskHistory
	atWork []tasks.ID   // begun and neither at an end nor waiting, in the order in which they were
	usage  stages.Usage // of all agents
}

// Fold folds a record. Without a graph, that of the record itself is used,
// which knows no TASK's text. The error is that of an event that does not
// follow from those before it.
func Fold(g *tasks.Graph, events []scheduler.Event) (*Record, error) {
	if g == nil {
		var err error
		if g, err = scheduler.GraphOf(events); err != nil {
			return nil, err
		}
	}
	r := &Record{Plan: scheduler.New(g), tasks: map[tasks.ID]*TaskHistory{}}
	for i := range events {
		if err := r.Apply(events[i]); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// History is what is recorded of a TASK; empty if that is nothing.
func (r *Record) History(id tasks.ID) *TaskHistory {
	if h, ok := r.tasks[id]; ok {
		return h
	}
	return &TaskHistory{Spec: scheduler.TaskSpec{ID: id}}
}

// Apply folds one more event.
func (r *Record) Apply(e scheduler.Event) error {
	if err := r.Plan.Apply(e); err != nil {
		return err
	}
	if r.Started.IsZero() {
		r.Started = e.Time
	}
	r.Updated = e.Time
	if e.Usage != nil {
		r.usage = r.usage.Plus(*e.Usage)
	}
	switch e.Type {
	case scheduler.RunStarted:
		r.Joined, r.Finished = e.Time, nil
		for _, s := range e.Tasks {
			r.tasks[s.ID] = &TaskHistory{Spec: s}
		}
		return nil
	case scheduler.RunJoined:
		r.Joined, r.Finished = e.Time, nil
		for _, h := range r.tasks {
			h.cut()
		}
		return nil
	case scheduler.RunFinished:
		r.Finished = &e
		for _, h := range r.tasks {
			h.cut()
		}
		return nil
	case scheduler.TaskRespecified:
		if e.Spec != nil {
			old := r.History(e.Spec.ID)
			r.tasks[e.Spec.ID] = &TaskHistory{Spec: *e.Spec, Earlier: old.Earlier + len(old.Steps)}
		}
		return nil
	}
	if h, ok := r.tasks[e.Task]; ok {
		now := r.Plan.State(e.Task)
		h.apply(&e, now)
		r.works(e.Task, now.State == scheduler.Running)
	}
	return nil
}

// works keeps the list of TASKs at work, which is short, so that a screen can
// be drawn without asking every TASK of the graph.
func (r *Record) works(id tasks.ID, now bool) {
	at := slices.Index(r.atWork, id)
	switch {
	case now && at < 0:
		r.atWork = append(r.atWork, id)
	case !now && at >= 0:
		r.atWork = slices.Delete(r.atWork, at, at+1)
	}
}

// cut ends what was under way when a run ended without an end of it.
func (h *TaskHistory) cut() {
	for i := range h.Steps {
		if s := &h.Steps[i]; s.Ending == UnderWay {
			s.Ending = CutOff
		}
	}
}

// apply adds an event to a TASK's history; now is where the TASK stands after it.
func (h *TaskHistory) apply(e *scheduler.Event, now scheduler.TaskState) {
	switch e.Type {
	case scheduler.StageStarted:
		h.begin(e, e.Stage)
	case scheduler.StageFinished:
		if s := h.open(); s != nil {
			s.end(e, Ending(e.Status), e.Reason)
			s.Millis, s.Usage, s.Result, s.Snapshot, s.Progress = e.Millis, e.Usage, e.Result, e.Snapshot, e.Progress
			if e.Executor != "" {
				s.Executor = e.Executor
			}
		}
	case scheduler.AgentTool, scheduler.AgentSent:
		if s := h.open(); s != nil && e.Data["kind"] != "first" {
			s.Doing = e.Reason
		}
	case scheduler.LandingFinished:
		h.landed(e, now)
	case scheduler.WaitStarted:
		h.waits(e, now)
	case scheduler.Command:
		h.commanded(e)
	case scheduler.Warning:
		h.Warnings = append(h.Warnings, e.Reason)
	}
}

func (h *TaskHistory) begin(e *scheduler.Event, stage dispatch.Stage) *StepRecord {
	h.Steps = append(h.Steps, StepRecord{
		Stage: stage, Attempt: e.Attempt, Round: max(e.Round, 1),
		Executor: e.Executor, Started: e.Time, Ending: UnderWay,
	})
	return &h.Steps[len(h.Steps)-1]
}

// open is the step that is under way, or nil: there is never more than one.
func (h *TaskHistory) open() *StepRecord {
	if n := len(h.Steps); n > 0 && h.Steps[n-1].Ending == UnderWay {
		return &h.Steps[n-1]
	}
	return nil
}

func (s *StepRecord) end(e *scheduler.Event, how Ending, reason string) {
	s.Finished, s.Ending, s.Reason, s.Doing = e.Time, how, reason, ""
	s.Millis = e.Time.Sub(s.Started).Milliseconds()
}

func (h *TaskHistory) landed(e *scheduler.Event, now scheduler.TaskState) {
	attempt, round := now.Attempt, now.Round
	if n := len(h.Steps); n > 0 { // now stands on the attempt that follows
		before := &h.Steps[n-1]
		attempt, round = before.Attempt, before.Round
		if before.Ending == NotPassed { // its attempt goes on
			before.Ending = Void
		}
	}
	s := h.begin(e, landing)
	s.Attempt, s.Round, s.Commit = attempt, round, e.Commit
	s.end(e, Ending(e.Outcome), LandingReason(e))
}

// LandingReason says in a few words why a landing ended as it did; "" when its
// outcome says it all.
func LandingReason(e *scheduler.Event) string {
	switch e.Outcome {
	case scheduler.Landed:
		if len(e.Paths) > 0 {
			return "the checkout is behind: " + strings.Join(e.Paths, ", ")
		}
	case scheduler.Moved:
		return "put on " + ontoWhat(e)
	case scheduler.Unfit:
		return "waits for " + e.With + " to land, which changes them too: " + strings.Join(e.Paths, ", ")
	case scheduler.Conflict:
		return "conflict with " + e.With + ": " + strings.Join(e.Paths, ", ")
	case scheduler.Blocked:
		return "your uncommitted changes are in the way: " + strings.Join(e.Paths, ", ")
	}
	return ""
}

func (h *TaskHistory) waits(e *scheduler.Event, now scheduler.TaskState) {
	switch e.For {
	case scheduler.ForRateLimit, scheduler.ForBudget:
		if s := h.open(); s != nil {
			s.end(e, PutOff, e.Reason)
			s.Usage = e.Usage
		}
	case scheduler.ForApproval:
		s := h.begin(e, approval)
		s.Attempt, s.Round, s.Ending = now.Attempt, now.Round, Asked
	}
}

func (h *TaskHistory) commanded(e *scheduler.Event) {
	n := len(h.Steps)
	if n == 0 || h.Steps[n-1].Ending != Asked {
		return
	}
	switch e.Verb {
	case scheduler.Approve:
		h.Steps[n-1].end(e, Approved, e.Reason)
	case scheduler.Reject:
		h.Steps[n-1].end(e, Rejected, "rejected: "+e.Reason)
	}
}
