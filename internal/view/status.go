package view

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// SessionState is where a session stands, in one word.
type SessionState string

// The states of a session.
const (
	SessionRunning     SessionState = "running"     // a live run is at work
	SessionDone        SessionState = "done"        // nothing is left to do
	SessionHalted      SessionState = "halted"      // a TASK is FAILED, and no new one starts
	SessionFailed      SessionState = "failed"      // a TASK is FAILED, and all that could go on without it did
	SessionWaiting     SessionState = "waiting"     // for a person, a rate limit or a free way to land
	SessionInterrupted SessionState = "interrupted" // stopped or cut off: resume goes on
)

func (s SessionState) hue() hue {
	switch s {
	case SessionDone:
		return green
	case SessionHalted, SessionFailed:
		return red
	case SessionWaiting, SessionInterrupted:
		return yellow
	case SessionRunning:
		return cyan
	}
	return plainHue
}

// Status is a session at a glance, for people and as JSON.
type Status struct {
	Session string           `json:"session"`
	Work    string           `json:"work"`
	Title   string           `json:"title,omitempty"`
	Branch  string           `json:"branch,omitempty"`
	Folder  string           `json:"folder,omitempty"`
	State   SessionState     `json:"state"`
	Started time.Time        `json:"started"`
	Updated time.Time        `json:"updated"`
	Millis  int64            `json:"ms"` // of the last run, from its start to its last event
	Totals  scheduler.Totals `json:"totals"`
	Usage   stages.Usage     `json:"usage,omitzero"` // of all agents, in all runs
	Tasks   []TaskStatus     `json:"tasks"`          // in the graph's order
	Next    []Advice         `json:"next"`           // never empty

	live bool
	now  time.Time
}

// TaskStatus is one row of a Status.
type TaskStatus struct {
	Task    tasks.ID       `json:"task"`
	Title   string         `json:"title"`
	State   Standing       `json:"state"`
	Why     string         `json:"why,omitempty"`
	Stage   dispatch.Stage `json:"stage,omitempty"` // of a TASK that has begun: its last or current step
	Attempt int            `json:"attempt,omitempty"`
	Round   int            `json:"round,omitempty"`
	Of      int            `json:"of,omitempty"` // the last attempt it may have as things stand
	Millis  int64          `json:"ms,omitempty"` // its stages' time, in all
	Commit  string         `json:"commit,omitempty"`

	tell bool // Why is worth a line of its own
}

// State is where the session stands.
func (r *Record) State() SessionState {
	t := r.Plan.Totals()
	switch {
	case r.Live:
		return SessionRunning
	case t.Failed > 0 && r.Plan.Halted():
		return SessionHalted
	case t.Failed > 0 && (r.Finished != nil || t.Waiting+t.Interrupted+t.NotStarted == 0):
		return SessionFailed
	case t.Waiting > 0 && t.Interrupted == 0 && (r.Finished == nil || r.Finished.Verdict != scheduler.Stopped):
		return SessionWaiting
	case t.Waiting+t.Interrupted+t.NotStarted > 0:
		return SessionInterrupted
	}
	return SessionDone
}

// Status is the session at a glance.
func (r *Record) Status(now time.Time) Status {
	run := r.Plan.Run()
	end := r.Updated
	if r.Live {
		end = now
	}
	s := Status{
		Session: run.Session, Work: run.Work, Title: run.Title, Branch: run.Branch, Folder: run.Folder,
		Tasks: []TaskStatus{}, State: r.State(), Started: r.Started, Updated: r.Updated, Totals: r.Plan.Totals(), Usage: r.usage, Next: r.Next(),
		Millis: end.Sub(r.Joined).Milliseconds(), live: r.Live, now: now,
	}
	for t := range r.Plan.Graph().All() {
		if row := r.taskStatus(&t, now); row.State != NotAsked {
			s.Tasks = append(s.Tasks, row)
		}
	}
	return s
}

func (r *Record) taskStatus(t *tasks.Task, now time.Time) TaskStatus {
	state, h := r.Plan.State(t.ID), r.History(t.ID)
	row := TaskStatus{
		Task: t.ID, Title: t.Title, State: r.Standing(t.ID), Why: r.Why(t.ID), Of: state.Of,
		Millis: h.elapsed(r.Live, now).Milliseconds(), Commit: string(state.Commit),
	}
	switch row.State {
	case Failed, Waiting, Interrupted, Skipped:
		row.tell = true
	case NotStarted:
		row.tell = slices.ContainsFunc(r.missing(t.ID), func(d tasks.ID) bool { return r.Standing(d) != NotStarted })
	}
	last := h.last(func(s *StepRecord) bool { return s.Stage != landing && s.Stage != approval })
	if last == nil {
		row.Of = 0
		return row
	}
	row.Stage, row.Attempt, row.Round = last.Stage, last.Attempt, last.Round
	return row
}

// Text writes the session's header, its TASKs and the next command.
func (s Status) Text(w io.Writer, st Style) error {
	out := bufio.NewWriter(w)
	s.header(out, st)
	rows := make([][]cell, len(s.Tasks))
	for i, t := range s.Tasks {
		rows[i] = t.row()
	}
	fmt.Fprintln(out)
	lines := table(st, 1, rows)
	for i := 0; i < len(lines); i++ {
		fmt.Fprintln(out, lines[i])
		if t := &s.Tasks[i]; t.tell && t.Why != "" {
			fmt.Fprintln(out, "     "+fit(t.Why, st.width()-5))
		}
		if n := s.alike(i); n > 2 && len(lines) > shownTasks {
			fmt.Fprintln(out, st.paint(dim, fmt.Sprintf("     … %d more %s", n, s.Tasks[i].State)))
			i += n
		}
	}
	fmt.Fprintln(out)
	writeNext(out, st, s.Next)
	return out.Flush()
}

// shownTasks is the number of TASKs from which on those in a row that are done,
// or not started, are counted and no longer listed.
const shownTasks = 100

// alike is the number of TASKs that follow one in the same uneventful state.
func (s *Status) alike(i int) int {
	state, n := s.Tasks[i].State, 0
	if state != Done && state != UpToDate && state != NotStarted {
		return 0
	}
	for i+n+1 < len(s.Tasks) && s.Tasks[i+n+1].State == state {
		n++
	}
	return n
}

// Brief writes the header and the next command only.
func (s Status) Brief(w io.Writer, st Style) error {
	out := bufio.NewWriter(w)
	s.header(out, st)
	writeNext(out, st, s.Next)
	return out.Flush()
}

func (s Status) header(out *bufio.Writer, st Style) {
	name := strings.TrimSpace(s.Work + "  " + s.Title)
	if s.Branch != "" {
		name += "  on " + s.Branch
	}
	fmt.Fprintln(out, st.paint(bold, fit(name, st.width())))
	line := fmt.Sprintf(": %s", Tally(s.Totals))
	if s.Millis > 0 {
		line += " in " + inAll(time.Duration(s.Millis)*time.Millisecond)
	}
	fmt.Fprintln(out, st.paint(s.State.hue(), string(s.State))+fit(line, st.width()-len(s.State)))
	line = "session " + s.Session
	if when := ago(s.Updated, s.now); !s.live && when != "" {
		line += ", " + when
	}
	if text := used(s.Usage); text != "" {
		line += ", " + text
	}
	fmt.Fprintln(out, st.paint(dim, fit(line, st.width())))
}

func (t *TaskStatus) row() []cell {
	mark, h := t.State.mark()
	step, time := "", ""
	if t.Attempt > 0 {
		r := StepRecord{Stage: t.Stage, Attempt: t.Attempt, Round: t.Round}
		step, time = r.Name(), took(millis(t.Millis))
	}
	state := string(t.State)
	if t.State == Done && t.Commit != "" {
		state += " " + short(t.Commit)
		step = fmt.Sprintf("#%d", t.Attempt)
	}
	return []cell{{text: mark, hue: h}, {text: string(t.Task)}, {text: state, hue: h}, {text: step}, {text: time, right: true}, {text: t.Title}}
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// short is a commit's hash as people read it.
func short(hash string) string {
	if len(hash) > 7 {
		return hash[:7]
	}
	return hash
}
