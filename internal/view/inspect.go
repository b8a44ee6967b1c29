package view

import (
	"slices"
	"time"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// Found is what only a look at the disk can tell of a TASK. All of it is
// optional, and none of it is trusted.
type Found struct {
	Workspace string   // path of the tree that its last attempt left; "" if it is gone
	Files     []string // paths, as the user would type them, of its recorded files
	Claimed   []string // paths that its progress.md lists; nil if there is none
	Output    string   // the end of what the step that failed printed
}

// Inspection is everything about one TASK.
type Inspection struct {
	Task     tasks.ID      `json:"task"`
	Title    string        `json:"title"`
	State    Standing      `json:"state"`
	Why      string        `json:"why,omitempty"`
	Attempts int           `json:"attempts"`
	Millis   int64         `json:"ms"`
	Commit   string        `json:"commit,omitempty"`
	Steps    []StepRecord  `json:"steps"`
	Earlier  int           `json:"earlier_steps,omitempty"` // made for an earlier text of the TASK, not in steps
	Failure  *FailureFound `json:"failure,omitempty"`
	Claims   *Claims       `json:"claims,omitempty"`
	Handoffs []HandoffSeen `json:"handoffs"`
	Warnings []string      `json:"warnings"`
	Files    []string      `json:"files"`
	// Workspace is the tree that its last attempt left, as Found names it.
	Workspace string   `json:"workspace,omitempty"`
	Next      []Advice `json:"next"`
}

// FailureFound is the last failure of a TASK with what is known of it.
type FailureFound struct {
	Step    string             `json:"step"` // such as "verifier#3"
	Reason  string             `json:"reason"`
	Details []dispatch.Failure `json:"details"`
	Output  string             `json:"output,omitempty"` // the end of what it printed, where no detail holds it
}

// Claims compares what a builder said it changed with what it did change.
type Claims struct {
	Step       string   `json:"step"`               // the builder's, such as "builder#2"
	Changed    int      `json:"changed"`            // paths that did change
	Unchanged  []string `json:"claimed_unchanged"`  // said, and not so
	Undeclared []string `json:"changed_undeclared"` // so, and not said
	Said       string   `json:"said_by"`            // "progress.md" or "task-result"
}

// HandoffSeen is the handoff that a step left, with what is wrong with its size.
type HandoffSeen struct {
	Step string `json:"step"`
	window.Handoff
	OverBudget []string `json:"over_budget,omitempty"`
}

// Inspect gathers everything about one TASK.
func (r *Record) Inspect(id tasks.ID, found Found, now time.Time) Inspection {
	state, h := r.Plan.State(id), r.History(id)
	t, _ := r.Plan.Graph().Get(id)
	x := Inspection{
		Task: id, Title: t.Title, State: r.Standing(id), Why: r.Why(id), Commit: string(state.Commit),
		Millis: h.elapsed(r.Live, now).Milliseconds(), Steps: r.steps(h, now), Earlier: h.Earlier,
		Claims: claimsOf(h, found.Claimed), Handoffs: orEmpty(handoffsOf(h)), Warnings: orEmpty(h.Warnings),
		Files: orEmpty(found.Files), Workspace: found.Workspace, Next: r.NextFor(id, found.Workspace),
	}
	for i := range h.Steps {
		x.Attempts = max(x.Attempts, h.Steps[i].Attempt)
	}
	if f := h.LastFailure(); f != nil && x.State != Done {
		x.Failure = failureOf(f, found.Output)
	}
	return x
}

// steps are a TASK's steps with those under way measured until now, or cut off
// if nothing is at work on them.
func (r *Record) steps(h *TaskHistory, now time.Time) []StepRecord {
	steps := orEmpty(slices.Clone(h.Steps))
	for i := range steps {
		if s := &steps[i]; s.Ending == UnderWay {
			if r.Live {
				s.Millis = max(now.Sub(s.Started), 0).Milliseconds()
			} else {
				s.Ending = CutOff
			}
		}
	}
	return steps
}

func failureOf(s *StepRecord, output string) *FailureFound {
	f := &FailureFound{Step: s.Name(), Reason: s.Reason}
	if s.Result != nil {
		f.Details = s.Result.Failures
	}
	f.Details = orEmpty(f.Details)
	if !slices.ContainsFunc(f.Details, func(d dispatch.Failure) bool { return d.Error != "" }) {
		f.Output = output
	}
	return f
}

// claimsOf compares the last builder that passed with its snapshot. What
// progress.md lists counts; without one, what the task-result says.
func claimsOf(h *TaskHistory, listed []string) *Claims {
	b := h.built()
	if b == nil || b.Snapshot == nil {
		return nil
	}
	c := &Claims{Step: b.Name(), Said: "progress.md", Changed: len(b.Snapshot.Changes)}
	if listed == nil {
		if len(b.Result.FilesChanged) == 0 {
			return nil
		}
		c.Said = "task-result"
		for _, f := range b.Result.FilesChanged {
			listed = append(listed, f.Path)
		}
	}
	changed := map[string]bool{}
	for _, change := range b.Snapshot.Changes {
		changed[change.Path] = true
		if !slices.Contains(listed, change.Path) {
			c.Undeclared = append(c.Undeclared, change.Path)
		}
	}
	for _, path := range listed {
		if !changed[path] {
			c.Unchanged = append(c.Unchanged, path)
		}
	}
	c.Unchanged, c.Undeclared = orEmpty(c.Unchanged), orEmpty(c.Undeclared)
	return c
}

// handoffsOf are the handoffs of the last attempt that left any: of its builder
// and its verifier, whether or not they passed.
func handoffsOf(h *TaskHistory) []HandoffSeen {
	var out []HandoffSeen
	attempt := 0
	for i := len(h.Steps) - 1; i >= 0; i-- {
		s := &h.Steps[i]
		if s.Result == nil || s.Result.Handoff == nil || s.Stage == dispatch.Committer {
			continue
		}
		if attempt == 0 {
			attempt = s.Attempt
		}
		if s.Attempt == attempt {
			out = append(out, HandoffSeen{s.Name(), *s.Result.Handoff, window.OverBudget(*s.Result.Handoff)})
		}
	}
	slices.Reverse(out)
	return out
}

// landedAs reports whether a step is a landing with an outcome.
func (s *StepRecord) landedAs(o scheduler.Outcome) bool {
	return s.Stage == landing && s.Ending == Ending(o)
}
