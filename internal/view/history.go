package view

import (
	"time"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// Ending is how a step ended, or stands.
type Ending string

// The endings. A stage passes, fails, is cut off or has to wait; a landing ends
// with its outcome; an approval is waited for, given or refused.
const (
	Passed    Ending = "PASS"
	NotPassed Ending = "FAIL"
	UnderWay  Ending = "running"
	CutOff    Ending = "interrupted"
	Void      Ending = "void"   // a FAIL on a candidate that did not land
	PutOff    Ending = "waited" // for a rate limit; the step starts again
	Asked     Ending = "waiting"
	Approved  Ending = "approved"
	Rejected  Ending = "rejected"
	// A landing: "landed", "moved", "conflict", "blocked", as in its event.
)

// Two things that happen to a TASK between its stages are shown as steps too.
const (
	landing  dispatch.Stage = "landing"
	approval dispatch.Stage = "approval"
)

// StepRecord is one step of a TASK: an execution of a stage, a landing
// ("landing" as its stage) or a wait for a person ("approval").
type StepRecord struct {
	Stage    dispatch.Stage `json:"stage"`
	Attempt  int            `json:"attempt"`
	Round    int            `json:"round"` // from 1
	Executor string         `json:"executor,omitempty"`
	Started  time.Time      `json:"started"`
	Finished time.Time      `json:"finished,omitzero"` // zero unless it ended by itself
	Millis   int64          `json:"ms"`
	Ending   Ending         `json:"status"`
	Reason   string         `json:"reason,omitempty"` // why it failed, waited, was moved or refused
	Usage    *stages.Usage  `json:"usage,omitempty"`
	Doing    string         `json:"doing,omitempty"` // what its agent did last, while it is under way

	Result   *dispatch.Result `json:"-"` // of a stage that ended
	Snapshot *stages.Snapshot `json:"-"` // of a builder that passed
	Progress string           `json:"-"` // progress.md as the gate found it, when it failed
	Commit   stages.Hash      `json:"-"` // of a landing that landed
}

// Step is the step's name, for stages.
func (s *StepRecord) Step(id tasks.ID) scheduler.Step {
	return scheduler.Step{Task: id, Stage: s.Stage, Attempt: s.Attempt, Round: s.Round}
}

// Name prints a step as people read it beside its TASK: "builder#2",
// "verifier#1.2".
func (s *StepRecord) Name() string { return string(s.Stage) + "#" + s.Step("").Number() }

// Failed reports whether the step led to another attempt, or to FAILED.
func (s *StepRecord) Failed() bool {
	return s.Ending == NotPassed || s.Ending == Rejected || s.Ending == Ending(scheduler.Conflict)
}

// TaskHistory is everything recorded of one TASK.
type TaskHistory struct {
	Spec     scheduler.TaskSpec // as the record last had it
	Steps    []StepRecord       // in the order in which they began
	Earlier  int                // steps made for an earlier text of the TASK, not in Steps
	Warnings []string
}

// elapsed is the time that the TASK's stages took, in all. A step that is under
// way counts until now if somebody is at work on it, else nobody knows.
func (h *TaskHistory) elapsed(live bool, now time.Time) time.Duration {
	var all time.Duration
	for i := range h.Steps {
		switch s := &h.Steps[i]; {
		case s.Stage == approval:
		case s.Ending == UnderWay:
			if live {
				all += max(now.Sub(s.Started), 0)
			}
		default:
			all += time.Duration(s.Millis) * time.Millisecond
		}
	}
	return all
}

// last is the last step for which keep holds, or nil.
func (h *TaskHistory) last(keep func(*StepRecord) bool) *StepRecord {
	for i := len(h.Steps) - 1; i >= 0; i-- {
		if keep(&h.Steps[i]) {
			return &h.Steps[i]
		}
	}
	return nil
}

// LastFailure is the step at which the TASK failed last, or nil.
func (h *TaskHistory) LastFailure() *StepRecord { return h.last((*StepRecord).Failed) }

// built is the last step of a builder that passed, or nil.
func (h *TaskHistory) built() *StepRecord {
	return h.last(func(s *StepRecord) bool { return s.Stage == dispatch.Builder && s.Ending == Passed })
}
