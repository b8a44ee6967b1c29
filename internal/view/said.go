package view

import (
	"fmt"
	"strings"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
)

// weight is how much a line matters.
type weight int

const (
	routine weight = iota // all goes its way
	trouble               // something went wrong and is being dealt with
	ending                // a TASK came to a good end
	bad                   // a TASK or the run did not, or waits for a person
)

func (w weight) hue() hue {
	switch w {
	case trouble:
		return yellow
	case ending:
		return green
	case bad:
		return red
	}
	return plainHue
}

// said is the line that an event is worth.
type said struct {
	text   string // "" for none
	weight weight
}

// line puts an event, which the record holds already, into words.
func (r *Record) line(e *scheduler.Event) said {
	id := string(e.Task)
	switch e.Type {
	case scheduler.RunStarted, scheduler.RunJoined:
		return said{text: r.opening(e)}
	case scheduler.StageStarted:
		if e.Stage == dispatch.Committer {
			return said{} // over in a moment
		}
		return said{text: fmt.Sprintf("%s started%s", stepName(e), by(e.Executor))}
	case scheduler.StageFinished:
		text := fmt.Sprintf("%s %s %s", stepName(e), e.Status, took(millis(e.Millis)))
		if e.Status == dispatch.Fail {
			return said{text + ": " + e.Reason, trouble}
		}
		return said{text: text}
	case scheduler.LandingFinished:
		return r.landingLine(e)
	case scheduler.WaitStarted:
		return r.waitLine(e)
	case scheduler.WaitEnded:
		return said{text: id + " goes on"}
	case scheduler.Command:
		return said{text: commandLine(e)}
	case scheduler.TaskRespecified:
		if e.Reason == "changed" {
			return said{id + " changed: it starts anew", trouble}
		}
		return said{text: id + " " + e.Reason}
	case scheduler.TaskLanded:
		return said{fmt.Sprintf("%s landed %s %s", id, e.Commit.Short(), r.subject(e)), ending}
	case scheduler.TaskFailed:
		return said{fmt.Sprintf("%s FAILED after %s: %s", id, count(r.Plan.State(e.Task).Attempt, "attempt"), e.Reason), bad}
	case scheduler.TaskSkipped:
		return said{strings.TrimSuffix(id+" skipped: "+e.Reason, ": "), ending}
	case scheduler.RunHalted:
		return said{fmt.Sprintf("halted: %s is FAILED, no new TASK starts", id), bad}
	case scheduler.Warning:
		return said{warningLine(e), trouble}
	case scheduler.AgentSent:
		if e.Data["kind"] != "first" {
			return said{text: stepName(e) + " " + e.Reason}
		}
	}
	return said{}
}

func (r *Record) opening(e *scheduler.Event) string {
	t := r.Plan.Totals()
	verb, todo := "started", t.NotStarted+t.Interrupted+t.Waiting
	if e.Type == scheduler.RunJoined {
		verb = "resumed"
	}
	text := fmt.Sprintf("session %s %s: %s to do", r.Plan.Run().Session, verb, count(todo, "TASK"))
	if rest := t.Done + t.UpToDate; rest > 0 {
		text += fmt.Sprintf(", %d done before", rest)
	}
	return text
}

func (r *Record) landingLine(e *scheduler.Event) said {
	id := string(e.Task)
	switch e.Outcome {
	case scheduler.Landed:
		if len(e.Paths) > 0 {
			return said{fmt.Sprintf("%s warning: your checkout is behind its branch: %s", id, some(e.Paths, 5)), bad}
		}
	case scheduler.Moved:
		return said{text: fmt.Sprintf("%s moved onto %s%s%s", id, ontoWhat(e), r.voided(e), r.again(e))}
	case scheduler.Unfit:
		return said{text: fmt.Sprintf("%s waits for %s to land: both change %s", id, e.With, some(e.Paths, 5))}
	case scheduler.Conflict:
		return said{fmt.Sprintf("%s conflict with %s: %s", id, e.With, some(e.Paths, 5)), trouble}
	case scheduler.Blocked:
		return said{fmt.Sprintf("%s blocked by your uncommitted changes: %s", id, some(e.Paths, 5)), bad}
	}
	return said{}
}

// ontoWhat names the base that a TASK was put on.
func ontoWhat(e *scheduler.Event) string {
	if e.With != "" {
		return e.With + ", which is about to land"
	}
	return e.Onto.Short()
}

// voided says why a FAIL just before the landing does not count.
func (r *Record) voided(e *scheduler.Event) string {
	steps := r.History(e.Task).Steps
	if n := len(steps); n < 2 || steps[n-2].Ending != Void {
		return ""
	}
	return ", for what it failed on did not land"
}

// again says whether a TASK that was put on another base is verified there.
func (r *Record) again(e *scheduler.Event) string {
	if r.Plan.Options().Reverifies(len(e.Paths) > 0) {
		return ": it is verified again"
	}
	return ""
}

func (r *Record) waitLine(e *scheduler.Event) said {
	id := string(e.Task)
	switch e.For {
	case scheduler.ForApproval:
		return said{fmt.Sprintf("%s waiting for approval: pipeline approve %s", id, id), bad}
	case scheduler.ForBudget:
		return said{fmt.Sprintf("%s stopped before the next send: %s", id, e.Reason), trouble}
	case scheduler.ForRateLimit:
		text := id + " waiting for a rate limit"
		if e.Until != nil {
			text += " until " + clock(*e.Until)
		}
		if e.Reason != "" {
			text += ": " + e.Reason
		}
		return said{text, trouble}
	}
	return said{} // blocked: its landing said so
}

func commandLine(e *scheduler.Event) string {
	words := map[scheduler.Verb]string{
		scheduler.Approve: "approved",
		scheduler.Reject:  "rejected",
		scheduler.RetryIt: "retried",
		scheduler.Stop:    "stopping",
	}
	text := strings.TrimSpace(string(e.Task) + " " + words[e.Verb])
	switch {
	case words[e.Verb] == "":
		return "" // a skipped TASK gets its own line
	case e.Reason != "":
		return text + ": " + e.Reason
	}
	return text
}

func warningLine(e *scheduler.Event) string {
	switch {
	case e.Task == "":
		return "warning: " + e.Reason
	case e.Stage == "":
		return fmt.Sprintf("%s warning: %s", e.Task, e.Reason)
	}
	return fmt.Sprintf("%s warning: %s", stepName(e), e.Reason)
}

// subject is the first line of a landed commit's message, or the TASK's title.
func (r *Record) subject(e *scheduler.Event) string {
	h := r.History(e.Task)
	made := h.last(func(s *StepRecord) bool { return s.Stage == dispatch.Committer && s.Ending == Passed })
	if made != nil && made.Result.Commit != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(made.Result.Commit.Message), "\n")
		if first != "" {
			return first
		}
	}
	return h.Spec.Title
}

// stepName is "TASK-03 builder#1".
func stepName(e *scheduler.Event) string {
	s := scheduler.Step{Attempt: e.Attempt, Round: e.Round}
	return fmt.Sprintf("%s %s#%s", e.Task, e.Stage, s.Number())
}

func by(executor string) string {
	switch executor {
	case "":
		return ""
	case scheduler.ByHand:
		return " " + executor
	}
	return " by " + executor
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
