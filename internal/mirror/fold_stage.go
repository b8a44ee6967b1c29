package mirror

import (
	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/internal/view"
	"github.com/taskpipeline/pipeline/scheduler"
)

const underWay = str(view.UnderWay)

// aboutStage keeps one row per execution of a stage, landing, and wait for a
// person, as `pipeline inspect` shows them.
func (f *fold) aboutStage(e *scheduler.Event) {
	switch e.Type {
	case scheduler.StageStarted:
		if s := f.last[e.Task]; s != nil && s.status == underWay {
			s.status = str(view.CutOff)
			f.stageChanged(s)
		}
		s := f.begin(e, e.Stage)
		s.attempt, s.round, s.executor, s.base, s.status = num(e.Attempt), num(roundOf(e)), str(e.Executor), str(e.Base), underWay
	case scheduler.StageFinished:
		if s := f.open(e); s != nil {
			f.finished(s, e)
		}
	case scheduler.LandingFinished:
		f.landed(e)
	case scheduler.WaitStarted:
		f.waits(e)
	case scheduler.Command:
		f.decided(e)
	}
}

// begin adds a row for what an event begins.
func (f *fold) begin(e *scheduler.Event, stage dispatch.Stage) *stageRow {
	s := &stageRow{session: f.session.session, seq: e.Seq, task: str(e.Task), stage: str(stage), started: moment(e.Time)}
	f.last[e.Task] = s
	f.stageChanged(s)
	return s
}

// open is the row of the step that is under way, or nil.
func (f *fold) open(e *scheduler.Event) *stageRow {
	if s := f.last[e.Task]; s != nil && s.status == underWay {
		f.stageChanged(s)
		return s
	}
	return nil
}

func (f *fold) finished(s *stageRow, e *scheduler.Event) {
	s.status, s.reason, s.finished, s.millis = str(e.Status), str(e.Reason), moment(e.Time), num(e.Millis)
	s.commit = str(e.Commit)
	if e.Executor != "" {
		s.executor = str(e.Executor)
	}
	if e.Snapshot != nil {
		s.tree = str(e.Snapshot.Tree)
	}
	if e.Result != nil {
		s.summary = str(e.Result.Summary)
	}
	s.used(e)
}

// used takes over what a step says it used up, unless its agent has said so
// with each of its replies.
func (s *stageRow) used(e *scheduler.Event) {
	if u := e.Usage; u != nil && s.sends == 0 {
		s.sends, s.input, s.output, s.usd = int64(u.Sends), u.InputTokens, u.OutputTokens, u.USD
	}
}

// landed adds a landing. It belongs to the step before it.
func (f *fold) landed(e *scheduler.Event) {
	before := f.last[e.Task]
	s := f.begin(e, landing)
	if before != nil {
		s.attempt, s.round = before.attempt, before.round
		if before.status == str(view.NotPassed) { // its attempt goes on
			before.status = str(view.Void)
			f.stageChanged(before)
		}
	}
	s.status, s.reason, s.finished, s.commit = str(e.Outcome), str(view.LandingReason(e)), moment(e.Time), str(e.Commit)
}

func (f *fold) waits(e *scheduler.Event) {
	switch e.For {
	case scheduler.ForRateLimit, scheduler.ForBudget:
		if s := f.open(e); s != nil {
			s.status, s.reason, s.finished = str(view.PutOff), str(e.Reason), moment(e.Time)
			s.used(e)
		}
	case scheduler.ForApproval:
		before := f.last[e.Task]
		s := f.begin(e, approval)
		s.status = str(view.Asked)
		if before != nil {
			s.attempt, s.round = before.attempt, before.round
		}
	}
}

// decided ends a wait for a person.
func (f *fold) decided(e *scheduler.Event) {
	s := f.last[e.Task]
	if s == nil || s.status != str(view.Asked) {
		return
	}
	switch e.Verb {
	case scheduler.Approve:
		s.status, s.reason = str(view.Approved), str(e.Reason)
	case scheduler.Reject:
		s.status, s.reason = str(view.Rejected), str("rejected: "+e.Reason)
	default:
		return
	}
	s.finished = moment(e.Time)
	f.stageChanged(s)
}

// Two things that happen to a TASK between its stages are rows, too.
const (
	landing  dispatch.Stage = "landing"
	approval dispatch.Stage = "approval"
)
