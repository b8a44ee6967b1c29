package cli

import (
	"bytes"
	"io"
	"os"
	"time"

	"github.com/google/renameio/v2"
	"golang.org/x/term"

	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/internal/view"
	"github.com/taskpipeline/pipeline/scheduler"
)

// style is how text is laid out for a stream.
func (p *Process) style(w io.Writer) view.Style {
	return view.Style{Width: p.width(w), Color: p.palette(w).on}
}

// output says how the run is shown: a function that sees each event once it is
// recorded, and one that is called when the run is over.
func (b *build) output() (show func(scheduler.Event), finish func()) {
	if b.o.Observe != nil || b.o.Output == "" {
		return func(e scheduler.Event) {
			b.apply(e)
			if b.o.Observe != nil {
				b.o.Observe(e)
			}
		}, func() {}
	}
	out := b.p.Stdout
	if b.o.Output == "ndjson" {
		return func(e scheduler.Event) {
			b.apply(e)
			if line, err := session.Encode(&e); err == nil {
				_, _ = out.Write(line) // a reader that has gone does not end the run
			}
		}, func() {}
	}
	if b.o.Output == "tui" || b.o.Output == "auto" && b.p.watched(out) {
		if f, ok := out.(*os.File); ok && b.p.watched(out) {
			return b.live(f)
		}
	}
	mode := map[string]view.Mode{"group": view.ByTask, "quiet": view.Quiet}[b.o.Output]
	lines := view.NewLines(out, b.record, b.p.style(out), mode)
	return lines.Event, func() {
		if f := b.record.Finished; f == nil {
			lines.CutOff(time.Now())
		}
	}
}

// redraw is how often a live view is brought up to date.
const redraw = 100 * time.Millisecond

// live shows the run on a terminal, redrawn by a goroutine of its own until the
// run is over.
func (b *build) live(f *os.File) (show func(scheduler.Event), finish func()) {
	l := view.NewLive(f, b.record, b.p.style(f))
	over, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(redraw)
		defer tick.Stop()
		for {
			select {
			case now := <-tick.C:
				width, height, err := term.GetSize(int(f.Fd()))
				if err != nil {
					width, height = 80, 24
				}
				_ = l.Draw(now, width, height) // a terminal that has gone does not end the run
			case <-over:
				return
			}
		}
	}()
	return l.Event, func() {
		close(over)
		<-gone
		_ = l.Close(time.Now())
	}
}

// apply keeps the record for what is told at the end; Lines does it by itself.
func (b *build) apply(e scheduler.Event) {
	if b.shown == nil {
		b.shown = b.record.Apply(e)
	}
}

// watched tells whether a person looks at a stream.
func (p *Process) watched(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && p.getenv("CI") == "" && p.getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// writeJUnit writes the report that --junit asks for.
func (b *build) writeJUnit(path string) error {
	var report bytes.Buffer
	if err := b.record.JUnit(&report, time.Now()); err != nil {
		return err
	}
	return renameio.WriteFile(path, report.Bytes(), 0o644)
}
