package view

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/taskpipeline/pipeline/tasks"
)

// Text writes the forecast: what would run, wave by wave, and why; what would
// not; and where TASKs may get into each other's way.
func (f Forecast) Text(w io.Writer, st Style) error {
	p := page{out: bufio.NewWriter(w), st: st}
	f.head(&p)
	for i, wave := range f.Waves {
		p.section(fmt.Sprintf("Wave %d", i+1))
		f.wave(&p, wave)
	}
	f.kept(&p)
	f.collisions(&p)
	fmt.Fprintln(p.out)
	writeNext(p.out, st, f.Next)
	return p.out.Flush()
}

func (f *Forecast) head(p *page) {
	name := strings.TrimSpace(f.Work + "  " + f.Title)
	if f.Branch != "" {
		name += "  on " + f.Branch
	}
	fmt.Fprintln(p.out, p.st.paint(bold, fit(name, p.st.width())))
	runs, upToDate := 0, 0
	for _, wave := range f.Waves {
		runs += len(wave)
	}
	for i := range f.Kept {
		if f.Kept[i].State.satisfies() {
			upToDate++
		}
	}
	if runs == 0 {
		p.line(0, fmt.Sprintf("nothing to build: %s done, %d cannot start", count(upToDate, "TASK"), len(f.Kept)-upToDate))
		return
	}
	text := fmt.Sprintf("%s to build, %d at a time", count(runs, "TASK"), f.Jobs)
	if upToDate > 0 {
		text += fmt.Sprintf("; %d done already", upToDate)
	}
	p.line(0, text)
	if f.Reverifications > 0 {
		p.line(0, fmt.Sprintf("about %s, for TASKs that run together land one after the other", count(f.Reverifications, "re-verification")))
	}
}

// wave lists the TASKs of one wave; a reason that is too long to stand beside
// its TASK goes below it.
func (f *Forecast) wave(p *page, wave []Planned) {
	rows, below := make([][]cell, len(wave)), make([]string, len(wave))
	room := p.st.width() - 2 - 2 - 2
	id, title := 0, 0
	for i := range wave {
		id = max(id, len(wave[i].Task))
		title = max(title, min(ansi.StringWidth(oneLine(wave[i].Title)), maxColumn))
	}
	for i := range wave {
		why := wave[i].reason()
		if ansi.StringWidth(why) > room-id-title {
			why, below[i] = "", why
		}
		rows[i] = []cell{{text: string(wave[i].Task)}, {text: wave[i].Title}, {text: why}}
	}
	for i, line := range table(p.st, 2, rows) {
		fmt.Fprintln(p.out, line)
		if below[i] != "" {
			p.line(4, below[i])
		}
	}
}

// reason is why a TASK runs, and when.
func (t *Planned) reason() string {
	text := t.Why
	if len(t.Needs) > 0 {
		text += ", after " + ids(t.Needs, 3)
	}
	if t.Approve {
		text += ", asks you before it lands"
	}
	return oneLine(text)
}

// kept tells of what would not run: those that are done in a line or two, the
// others each with its reason.
func (f *Forecast) kept(p *page) {
	var done []tasks.ID
	var rows [][]cell
	for i := range f.Kept {
		t := &f.Kept[i]
		if t.State.satisfies() {
			done = append(done, t.Task)
			continue
		}
		_, h := t.State.mark()
		rows = append(rows, []cell{{text: string(t.Task)}, {text: string(t.State), hue: h}, {text: t.Why}})
	}
	if len(rows) > 0 {
		p.section("Would not start")
		for _, line := range table(p.st, 2, rows) {
			fmt.Fprintln(p.out, line)
		}
	}
	if len(done) > 0 {
		p.section("Done already")
		for _, line := range wrapped(ids(done, 40), 8, p.st.width()-2) {
			fmt.Fprintln(p.out, "  "+line)
		}
	}
}

func (f *Forecast) collisions(p *page) {
	if len(f.Collisions) == 0 {
		return
	}
	p.section("May conflict: declared by TASKs that may run together")
	var rows [][]cell
	for i := range f.Collisions {
		if i == shownPaths && len(f.Collisions) > shownPaths+1 {
			rows = append(rows, []cell{{text: fmt.Sprintf("… and %d more paths", len(f.Collisions)-i)}})
			break
		}
		rows = append(rows, []cell{{text: f.Collisions[i].Path}, {text: ids(f.Collisions[i].Tasks, 6)}})
	}
	for _, line := range table(p.st, 2, rows) {
		fmt.Fprintln(p.out, line)
	}
}

// ids lists at most n ids and counts the rest.
func ids(list []tasks.ID, n int) string {
	texts := make([]string, len(list))
	for i, id := range list {
		texts[i] = string(id)
	}
	return some(texts, n)
}
