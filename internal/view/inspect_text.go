package view

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
)

// What of a TASK's texts is shown; the files hold the rest.
const (
	outputLines  = 20
	shownDetails = 5
	handoffLines = 6
	shownPaths   = 8
	shownFiles   = 12
)

// Text writes the inspection: the verdict first, then how it came about, what
// failed, what was claimed, and what to type next.
func (x Inspection) Text(w io.Writer, st Style) error {
	p := page{out: bufio.NewWriter(w), st: st}
	x.head(&p)
	x.steps(&p)
	x.failure(&p)
	x.claims(&p)
	x.handoffs(&p)
	x.warnings(&p)
	x.files(&p)
	fmt.Fprintln(p.out)
	writeNext(p.out, st, x.Next)
	return p.out.Flush()
}

// page is a text in sections.
type page struct {
	out *bufio.Writer
	st  Style
}

func (p *page) section(title string) {
	fmt.Fprintf(p.out, "\n%s\n", p.st.paint(bold, fit(title, p.st.width())))
}

func (p *page) line(indent int, text string) {
	fmt.Fprintln(p.out, strings.Repeat(" ", indent)+fit(text, p.st.width()-indent))
}

func (x *Inspection) head(p *page) {
	mark, h := x.State.mark()
	fmt.Fprintf(p.out, "%s %s  %s\n", p.st.paint(h, mark), p.st.paint(bold, string(x.Task)), fit(x.Title, p.st.width()-len(x.Task)-4))
	verdict := string(x.State)
	if x.State == Done && x.Commit != "" {
		verdict += " in " + short(x.Commit)
	}
	if x.Attempts > 0 {
		after := " after "
		if x.State == Running || x.State == Waiting || x.State == Interrupted {
			after = " in attempt "
			verdict += after + fmt.Sprint(x.Attempts)
		} else {
			verdict += after + count(x.Attempts, "attempt")
		}
		verdict += ", " + took(millis(x.Millis)) + " of work"
		if text := used(x.used()); text != "" {
			verdict += ", " + text
		}
	}
	if x.Why != "" {
		verdict += ": " + x.Why
	}
	for i, line := range wrapped(oneLine(verdict), 4, p.st.width()-2) {
		if i == 0 {
			line = p.st.paint(h, line)
		}
		fmt.Fprintln(p.out, "  "+line)
	}
}

// used is what the TASK's agents used up, over all its steps.
func (x *Inspection) used() (sum stages.Usage) {
	for i := range x.Steps {
		if u := x.Steps[i].Usage; u != nil {
			sum = sum.Plus(*u)
		}
	}
	return sum
}

func (x *Inspection) steps(p *page) {
	if len(x.Steps) == 0 {
		return
	}
	p.section("How it went")
	if x.Earlier > 0 {
		p.line(2, fmt.Sprintf("(%s for an earlier text of the TASK left out)", count(x.Earlier, "step")))
	}
	rows := make([][]cell, len(x.Steps))
	for i := range x.Steps {
		rows[i] = x.Steps[i].row()
	}
	for _, line := range table(p.st, 2, rows) {
		fmt.Fprintln(p.out, line)
	}
}

func (s *StepRecord) row() []cell {
	h := plainHue
	switch {
	case s.Failed():
		h = red
	case s.Ending == Passed || s.Ending == Approved || s.landedAs(scheduler.Landed):
		h = green
	case s.Ending != UnderWay:
		h = yellow
	}
	time := took(millis(s.Millis))
	if s.Ending == CutOff || s.Ending == Asked || s.Stage == landing {
		time = ""
	}
	return []cell{{text: s.Name()}, {text: string(s.Ending), hue: h}, {text: time, right: true}, {text: s.Executor}, {text: s.Reason}}
}

func (x *Inspection) failure(p *page) {
	f := x.Failure
	if f == nil || len(f.Details) == 0 && f.Output == "" {
		return
	}
	p.section("What " + f.Step + " failed at")
	for i, d := range f.Details {
		if i == shownDetails {
			p.line(2, fmt.Sprintf("… and %d more", len(f.Details)-i))
			break
		}
		detail(p, d, f.Reason)
	}
	if f.Output != "" {
		p.line(2, "the end of what it printed:")
		quote(p, f.Output)
	}
}

func detail(p *page, d dispatch.Failure, known string) {
	if d.Check != "" {
		p.line(2, d.Check)
	}
	if strings.TrimSpace(d.Error) != strings.TrimSpace(known) {
		quote(p, d.Error)
	}
	for _, path := range head(d.Files, shownPaths) {
		p.line(2, "in "+path)
	}
	for i, line := range wrapped(d.Fix, 4, p.st.width()-7) {
		lead := "  fix: "
		if i > 0 {
			lead = "       "
		}
		if line != "" {
			fmt.Fprintln(p.out, lead+line)
		}
	}
}

// quote shows the end of what a program printed, set off by a bar.
func quote(p *page, text string) {
	lines, omitted := printed(text, outputLines, p.st.width()-4)
	if omitted > 0 {
		fmt.Fprintf(p.out, "  %s … %s before\n", p.st.paint(dim, "│"), count(omitted, "line"))
	}
	for _, line := range lines {
		fmt.Fprintln(p.out, strings.TrimRight("  "+p.st.paint(dim, "│")+" "+line, " "))
	}
}

func (x *Inspection) claims(p *page) {
	c := x.Claims
	if c == nil {
		return
	}
	p.section(fmt.Sprintf("What %s changed: %s", c.Step, count(c.Changed, "path")))
	if len(c.Unchanged)+len(c.Undeclared) == 0 {
		p.line(2, "just what its "+c.Said+" lists")
	}
	for _, part := range []struct {
		title string
		paths []string
		hue   hue
	}{
		{"listed in its " + c.Said + ", but unchanged:", c.Unchanged, red},
		{"changed, but not listed in its " + c.Said + ":", c.Undeclared, yellow},
	} {
		if len(part.paths) == 0 {
			continue
		}
		fmt.Fprintln(p.out, "  "+p.st.paint(part.hue, fit(part.title, p.st.width()-2)))
		for _, path := range head(part.paths, shownPaths) {
			p.line(4, path)
		}
	}
}

func (x *Inspection) handoffs(p *page) {
	for _, seen := range x.Handoffs {
		p.section("What " + seen.Step + " handed on")
		for _, field := range []struct{ name, text string }{
			{"what", seen.What}, {"why", seen.Why}, {"caution", seen.Caution}, {"incomplete", seen.Incomplete},
		} {
			if strings.TrimSpace(field.text) == "" {
				continue
			}
			for i, line := range wrapped(field.text, handoffLines, p.st.width()-14) {
				name := ""
				if i == 0 {
					name = field.name
				}
				fmt.Fprintln(p.out, strings.TrimRight(fmt.Sprintf("  %-10s  %s", name, line), " "))
			}
		}
		for _, over := range seen.OverBudget {
			fmt.Fprintln(p.out, "  "+p.st.paint(yellow, fit("long: "+over, p.st.width()-2)))
		}
	}
}

func (x *Inspection) warnings(p *page) {
	if len(x.Warnings) == 0 {
		return
	}
	p.section("Warnings")
	for _, text := range head(x.Warnings, shownPaths) {
		p.line(2, text)
	}
}

func (x *Inspection) files(p *page) {
	if len(x.Files) == 0 && x.Workspace == "" {
		return
	}
	p.section("To open")
	for _, path := range head(x.Files, shownFiles) {
		fmt.Fprintln(p.out, "  "+oneLine(path)) // whole, however long: it is to be copied
	}
	if x.Workspace != "" {
		fmt.Fprintln(p.out, "  "+oneLine(x.Workspace)+"  (its workspace)")
	}
}

// head is the first n texts and, if there are more, a line that says so.
func head(texts []string, n int) []string {
	if len(texts) <= n {
		return texts
	}
	return append(texts[:n-1:n-1], fmt.Sprintf("… and %d more", len(texts)-n+1))
}
