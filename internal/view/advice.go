package view

import (
	"bufio"
	"fmt"

	"github.com/charmbracelet/x/ansi"

	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/tasks"
)

// Advice is a command that may be typed next.
type Advice struct {
	Command string `json:"command"`
	Why     string `json:"why"` // what it is good for, in a few words
}

// Next is what to type next of a session, the best first; there is always one.
func (r *Record) Next() []Advice {
	first := func(s Standing, w scheduler.WaitFor) (tasks.ID, bool) {
		for t := range r.Plan.Graph().All() {
			if r.Standing(t.ID) == s && (s != Waiting || r.Plan.State(t.ID).Wait == w) {
				return t.ID, true
			}
		}
		return "", false
	}
	resume := r.goOn()
	if r.Live {
		if id, ok := first(Running, ""); ok {
			return []Advice{{fmt.Sprintf("pipeline logs %s -f", id), "watch it work"}}
		}
		return []Advice{{"pipeline status", "look again"}}
	}
	if id, ok := first(Failed, ""); ok {
		return []Advice{
			{fmt.Sprintf("pipeline inspect %s", id), "see what failed, and why"},
			{fmt.Sprintf("pipeline retry %s", id), "let it try again"},
		}
	}
	if _, ok := first(Waiting, scheduler.ForBlocked); ok {
		return []Advice{{"git status", "commit or move what is in the way"}, resume}
	}
	if _, ok := first(Interrupted, ""); ok {
		return []Advice{resume}
	}
	if _, ok := first(Waiting, scheduler.ForBudget); ok {
		return []Advice{{"pipeline config show", "raise budget.usd or budget.tokens"}, resume}
	}
	if _, ok := first(Waiting, scheduler.ForRateLimit); ok {
		return []Advice{resume}
	}
	if id, ok := first(Waiting, scheduler.ForApproval); ok {
		return []Advice{
			{fmt.Sprintf("pipeline diff %s", id), "see what it would commit"},
			{fmt.Sprintf("pipeline approve %s", id), "let it land"},
		}
	}
	if _, ok := first(NotStarted, ""); ok {
		return []Advice{resume}
	}
	if done := r.Plan.Totals().Done; done > 0 {
		return []Advice{{fmt.Sprintf("git log --oneline -%d", min(done, 20)), "see the commits"}}
	}
	return []Advice{{`pipeline new "TITLE"`, "add a TASK"}}
}

// goOn is how what is left gets built: a plan that no session has begun is run.
func (r *Record) goOn() Advice {
	if id := r.Plan.Run().Session; id != "" {
		return Advice{"pipeline resume " + id, "go on where it stopped"}
	}
	return Advice{"pipeline run", "build it"}
}

// NextFor is what to type next of one TASK, the best first. The workspace is
// the path where its files are left, or "".
func (r *Record) NextFor(id tasks.ID, workspace string) []Advice {
	diff := Advice{fmt.Sprintf("pipeline diff %s", id), "what its last attempt changed"}
	resume := r.goOn()
	switch s := r.Plan.State(id); r.Standing(id) {
	case Failed:
		next := []Advice{{fmt.Sprintf("pipeline retry %s", id), "let it try again"}, diff}
		if workspace != "" {
			next = append(next, Advice{fmt.Sprintf("pipeline retry %s --from verifier", id), "after mending it by hand"})
		}
		return append(next, Advice{fmt.Sprintf("pipeline skip %s --reason TEXT", id), "go on without it"})
	case Waiting:
		switch s.Wait {
		case scheduler.ForApproval:
			return []Advice{diff,
				{fmt.Sprintf("pipeline approve %s", id), "let it land"},
				{fmt.Sprintf("pipeline reject %s --reason TEXT", id), "send it back to its builder"}}
		case scheduler.ForBlocked:
			return []Advice{{"git status", "commit or move what is in the way"}, resume}
		}
		return []Advice{resume}
	case Running:
		return []Advice{{fmt.Sprintf("pipeline logs %s -f", id), "watch it work"}}
	case Interrupted:
		return []Advice{resume, diff}
	case NotStarted:
		if s.Unmet > 0 {
			return []Advice{{fmt.Sprintf("pipeline explain %s", id), "what it waits for"}}
		}
		return []Advice{resume}
	case Done:
		return []Advice{{"git show " + oneLine(s.Commit.Short()), "its commit"}}
	case UpToDate:
		return []Advice{{fmt.Sprintf("pipeline run --force %s", id), "do it again"}}
	}
	return []Advice{{fmt.Sprintf("pipeline run %s", id), "build it"}}
}

// writeNext prints advice as the last lines of a text.
func writeNext(out *bufio.Writer, s Style, advice []Advice) {
	widest := 0
	for _, a := range advice {
		widest = max(widest, ansi.StringWidth(oneLine(a.Command)))
	}
	for i, a := range advice {
		label := "      "
		if i == 0 {
			label = "next: "
		}
		command := oneLine(a.Command)
		line := label + s.paint(bold, command)
		if room := s.width() - len(label) - widest - 4; room >= 12 {
			pad := widest - ansi.StringWidth(command)
			line += fmt.Sprintf("%*s  # %s", pad, "", fit(a.Why, room))
		}
		fmt.Fprintln(out, line)
	}
}
