package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/tasks"
)

// Standing is where a TASK stands, in the one word that people read.
type Standing string

// The standings. Running is said only of a TASK that a live run works on; what
// a run left half done is Interrupted.
const (
	Done        Standing = "done"       // its commit is on the branch
	UpToDate    Standing = "up to date" // it was done before this session
	Failed      Standing = "FAILED"
	Running     Standing = "running"
	Interrupted Standing = "interrupted"
	Waiting     Standing = "waiting"
	Skipped     Standing = "skipped"
	NotStarted  Standing = "not started"
	NotAsked    Standing = "not asked for"
)

// Standing is where a TASK stands.
func (r *Record) Standing(id tasks.ID) Standing {
	switch r.Plan.State(id).State {
	case scheduler.IsLanded:
		return Done
	case scheduler.UpToDate:
		return UpToDate
	case scheduler.IsFailed:
		return Failed
	case scheduler.Skipped:
		return Skipped
	case scheduler.Waiting:
		return Waiting
	case scheduler.Pending:
		return NotStarted
	case scheduler.Running:
		if r.Live {
			return Running
		}
		return Interrupted
	}
	return NotAsked
}

// mark is the sign and the colour that go with a standing.
func (s Standing) mark() (string, hue) {
	switch s {
	case Done:
		return "✓", green
	case UpToDate:
		return "=", dim
	case Failed:
		return "✗", red
	case Running:
		return "▸", cyan
	case Interrupted, Waiting:
		return "!", yellow
	case Skipped:
		return "-", dim
	}
	return "·", dim
}

// Why says in a few words why a TASK stands where it does; "" when the standing
// says it all.
func (r *Record) Why(id tasks.ID) string {
	s := r.Plan.State(id)
	switch r.Standing(id) {
	case Failed:
		if f := r.History(id).LastFailure(); f != nil {
			return f.Name() + ": " + s.Reason
		}
		return s.Reason
	case Waiting:
		return waitingFor(s)
	case Interrupted:
		return interruptedAt(s)
	case NotStarted:
		if s.Unmet > 0 {
			return r.needs(id)
		}
		if r.Plan.Halted() {
			return "ready, but the run halted before it"
		}
		return "ready"
	case Skipped, UpToDate:
		return s.Why
	}
	return ""
}

func waitingFor(s scheduler.TaskState) string {
	switch s.Wait {
	case scheduler.ForApproval:
		return "for your approval"
	case scheduler.ForBlocked:
		return "until your uncommitted changes are out of its way: " + some(s.WaitPaths, 3)
	case scheduler.ForRateLimit:
		return "for a rate limit, until " + clock(s.Until)
	case scheduler.ForBudget:
		return "for a larger budget"
	}
	return string(s.Wait)
}

func interruptedAt(s scheduler.TaskState) string {
	step := StepRecord{Stage: s.Stage, Attempt: s.Attempt, Round: s.Round}
	switch {
	case s.Candidate != "":
		return "ready to land"
	case s.UnderWay:
		return step.Name() + " was cut off; it runs again"
	}
	return step.Name() + " is next"
}

// missing are the direct dependencies that a TASK waits for.
func (r *Record) missing(id tasks.ID) []tasks.ID {
	g := r.Plan.Graph()
	at, ok := g.Index(id)
	if !ok {
		return nil
	}
	var out []tasks.ID
	for _, d := range g.Deps(at) {
		if dep := g.At(d).ID; !r.Standing(dep).satisfies() {
			out = append(out, dep)
		}
	}
	return out
}

func (r *Record) needs(id tasks.ID) string {
	var texts []string
	for _, d := range r.missing(id) {
		texts = append(texts, fmt.Sprintf("%s (%s)", d, r.Standing(d)))
	}
	return "needs " + some(texts, 3)
}

// satisfies reports whether dependents need not wait for a TASK.
func (s Standing) satisfies() bool { return s == Done || s == UpToDate || s == Skipped }

// some lists at most n texts and counts the rest.
func some(texts []string, n int) string {
	if len(texts) <= n {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(texts[:n], ", "), len(texts)-n)
}

// clock is a moment as people read it: in UTC, to the second.
func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }
