package view

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/tasks"
)

// Mode is how much Lines prints, and in which order.
type Mode int

// The modes.
const (
	ByEvent Mode = iota // a line as each event comes
	ByTask              // the lines of a TASK together, once it ends or waits for long
	Quiet               // nothing when all is well
	Endings             // how TASKs end and what goes wrong on the way: what Live leaves behind
)

// Lines prints a run as it goes, one line per event:
//
//	TASK-03 builder#1 PASS 12.3s
//	TASK-03 builder#2 FAIL 0.4s: no files changed
//	TASK-03 landed 1a2b3c4 feat(TASK-03): Log in with a password
//	TASK-03 FAILED after 3 attempts: no files changed
//	3 done, 1 failed, 2 not started in 41s
//
// The last three of these are a contract with scripts. A write that fails ends
// the printing and not the run; Err tells of it.
type Lines struct {
	w      io.Writer
	record *Record
	style  Style
	mode   Mode
	held   map[tasks.ID]*bytes.Buffer // ByTask: what is not printed yet
	order  []tasks.ID                 // of held, oldest first
	lost   bool                       // an event did not follow from those before it
	err    error
}

// NewLines prints what happens after what r holds; from now on, r is changed by
// nobody else.
func NewLines(w io.Writer, r *Record, s Style, m Mode) *Lines {
	return &Lines{w: w, record: r, style: s, mode: m, held: map[tasks.ID]*bytes.Buffer{}}
}

// Event takes in one more event of the run: it is what a Runner's Observe calls.
func (l *Lines) Event(e scheduler.Event) {
	if l.lost {
		return
	}
	if err := l.record.Apply(e); err != nil {
		l.lost = true
		l.say("", said{text: fmt.Sprintf("warning: the rest is not shown: %v", err), weight: bad})
		return
	}
	if line := l.record.line(&e); line.text != "" && line.weight >= l.mode.least() {
		l.say(e.Task, line)
	}
	switch e.Type {
	case scheduler.TaskLanded, scheduler.TaskFailed, scheduler.TaskSkipped, scheduler.WaitStarted:
		l.release(e.Task)
	case scheduler.RunFinished:
		l.end(e.Time, e.Verdict == scheduler.AllDone)
	}
}

// CutOff prints the last line of a run that did not come to its end.
func (l *Lines) CutOff(now time.Time) { l.end(now, false) }

// Err is the first error of the writer.
func (l *Lines) Err() error { return l.err }

// longestLine bounds a line, in columns: what stages say can be of any length.
const longestLine = 1000

func (m Mode) least() weight {
	switch m {
	case Quiet:
		return bad
	case Endings:
		return trouble
	}
	return routine
}

func (l *Lines) say(task tasks.ID, s said) {
	line := []byte(l.style.paint(s.weight.hue(), fit(s.text, longestLine)) + "\n")
	if l.mode != ByTask || task == "" {
		l.write(line)
		return
	}
	b, ok := l.held[task]
	if !ok {
		b = &bytes.Buffer{}
		l.held[task] = b
		l.order = append(l.order, task)
	}
	b.Write(line)
}

// release prints what is held back of a TASK.
func (l *Lines) release(task tasks.ID) {
	b, ok := l.held[task]
	if !ok {
		return
	}
	l.write(b.Bytes())
	delete(l.held, task)
}

// end prints whatever is held back and the last line.
func (l *Lines) end(now time.Time, well bool) {
	for _, task := range l.order {
		l.release(task)
	}
	l.order = nil
	if l.mode == Quiet && well {
		return
	}
	l.write([]byte(Tally(l.record.Plan.Totals()) + " in " + inAll(now.Sub(l.record.Joined)) + "\n"))
}

func (l *Lines) write(b []byte) {
	if l.err == nil {
		_, l.err = l.w.Write(b)
	}
}
