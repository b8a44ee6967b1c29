package view

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/tasks"
)

// Live shows a run on a terminal: how TASKs end scrolls by as Lines prints it,
// and below it stand, rewritten in place, the TASKs at work and the count of
// all. It needs of the terminal no more than to go up some lines and to clear
// what follows, leaves nothing else behind, and works in any size.
//
// Event never waits for the terminal: it only takes note. Draw writes.
type Live struct {
	w     io.Writer
	style Style

	mu     sync.Mutex // guards lines, its record, and fresh
	lines  *Lines
	record *Record
	fresh  bytes.Buffer // lines that were not drawn yet

	drawing sync.Mutex // held while the terminal is written to
	shown   int        // lines of the part that is rewritten
	err     error
}

// NewLive shows what happens after what r holds; from now on, r is changed by
// nobody else.
func NewLive(w io.Writer, r *Record, s Style) *Live {
	l := &Live{w: w, style: s, record: r}
	r.Live = true
	l.lines = NewLines(&l.fresh, r, s, Endings)
	return l
}

// Event takes in one more event of the run: it is what a Runner's Observe calls.
func (l *Live) Event(e scheduler.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines.Event(e)
}

// Draw brings a terminal of that size up to date.
func (l *Live) Draw(now time.Time, width, height int) error {
	l.mu.Lock()
	footer := l.footer(now, width, height)
	l.mu.Unlock()
	return l.draw(footer)
}

// Close leaves only the lines that scroll by; the last of them is the count of
// all, also when the run was cut off.
func (l *Live) Close(now time.Time) error {
	l.mu.Lock()
	if l.record.Finished == nil {
		l.lines.CutOff(now)
	}
	l.mu.Unlock()
	return l.draw(nil)
}

func (l *Live) draw(footer []string) error {
	l.drawing.Lock()
	defer l.drawing.Unlock()
	var out bytes.Buffer
	if l.shown > 0 {
		fmt.Fprintf(&out, "\x1b[%dA", l.shown)
	}
	out.WriteString("\r\x1b[J")
	l.mu.Lock()
	out.Write(l.fresh.Bytes())
	l.fresh.Reset()
	l.mu.Unlock()
	for _, line := range footer {
		out.WriteString(line + "\n")
	}
	l.shown = len(footer)
	if l.err == nil {
		_, l.err = l.w.Write(out.Bytes())
	}
	return l.err
}

// footer is the part that is rewritten: at most height-1 lines, none of which
// fills the width, so that none wraps.
func (l *Live) footer(now time.Time, width, height int) []string {
	width, room := max(width-1, 20), max(height-3, 1)
	st := Style{Width: width, Color: l.style.Color}
	var rows [][]cell
	more := 0
	for _, id := range l.record.atWork {
		if len(rows) == room {
			more++
			continue
		}
		t, _ := l.record.Plan.Graph().Get(id)
		rows = append(rows, l.record.workRow(&t, now))
	}
	lines := table(st, 0, rows)
	text := l.record.count(more) + ", " + inAll(now.Sub(l.record.Joined))
	return append(lines, st.paint(dim, fit(text, width)))
}

// workRow is a TASK at work: what it does, for how long, and its title.
func (r *Record) workRow(t *tasks.Task, now time.Time) []cell {
	h := r.History(t.ID)
	mark, hue := Running.mark()
	s := h.open()
	if s == nil { // between two steps, or in line for landing
		state := r.Plan.State(t.ID)
		next := StepRecord{Stage: state.Stage, Attempt: state.Attempt, Round: state.Round}
		name := next.Name()
		if state.Candidate != "" {
			name = string(landing)
		}
		return []cell{{text: "·", hue: dim}, {text: string(t.ID)}, {text: name, hue: dim}, {text: "", right: true}, {text: t.Title}}
	}
	row := []cell{
		{text: mark, hue: hue}, {text: string(t.ID)}, {text: s.Name(), hue: hue},
		{text: onClock(now.Sub(s.Started)), right: true}, {text: t.Title},
	}
	if s.Doing != "" {
		row = append(row, cell{text: s.Doing, hue: dim})
	}
	return row
}

// count says how the run stands; hidden is the number of TASKs at work for
// which there was no line.
func (r *Record) count(hidden int) string {
	t := r.Plan.Totals()
	text := fmt.Sprintf("%d done, %d failed, %d at work", t.Done, t.Failed, t.Interrupted)
	if hidden > 0 {
		text += fmt.Sprintf(" (%d not shown)", hidden)
	}
	if t.Waiting > 0 {
		text += fmt.Sprintf(", %d waiting", t.Waiting)
	}
	return text + fmt.Sprintf(", %d to go", t.NotStarted)
}
