package view

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/tasks"
)

// Explanation tells why a TASK is in the state it is in.
type Explanation struct {
	Task   tasks.ID   `json:"task"`
	Title  string     `json:"title"`
	State  Standing   `json:"state"`
	Why    string     `json:"why,omitempty"`
	Stale  string     `json:"stale,omitempty"` // why a TASK that was done before is done again
	Causes []Cause    `json:"causes"`          // what it waits for, root causes only
	Blocks []tasks.ID `json:"blocks"`          // direct dependents that wait for it
	Next   []Advice   `json:"next"`
}

// Explain tells why a TASK is in the state it is in.
func (r *Record) Explain(id tasks.ID) Explanation {
	state := r.Plan.State(id)
	t, _ := r.Plan.Graph().Get(id)
	x := Explanation{Task: id, Title: t.Title, State: r.Standing(id), Why: r.Why(id), Causes: orEmpty(r.Causes(id)), Blocks: orEmpty(r.blocked(id)), Next: r.NextFor(id, "")}
	if state.Initial == scheduler.AsStale {
		x.Stale = r.History(id).Spec.Reason
	}
	if len(x.Causes) > 0 {
		x.Next = r.nextForCause(x.Causes)
	}
	return x
}

// blocked are the direct dependents for which a TASK is missing.
func (r *Record) blocked(id tasks.ID) []tasks.ID {
	g := r.Plan.Graph()
	at, ok := g.Index(id)
	if !ok || r.Standing(id).satisfies() {
		return nil
	}
	var out []tasks.ID
	for _, d := range g.Dependents(at) {
		if r.Standing(g.At(d).ID) == NotStarted {
			out = append(out, g.At(d).ID)
		}
	}
	return out
}

// nextForCause is what to type about the cause that is the worst.
func (r *Record) nextForCause(causes []Cause) []Advice {
	for _, want := range []Standing{Failed, Waiting, Interrupted} {
		for _, c := range causes {
			if c.State == want {
				if want == Failed {
					return []Advice{{fmt.Sprintf("pipeline inspect %s", c.Task), "see what failed, and why"}}
				}
				return r.NextFor(c.Task, "")
			}
		}
	}
	return r.Next()
}

const shownCauses = 5

// Text writes the explanation as one sentence, the chains that lead to it, and
// the next command.
func (x Explanation) Text(w io.Writer, st Style) error {
	out := bufio.NewWriter(w)
	mark, h := x.State.mark()
	fmt.Fprintln(out, st.paint(h, mark)+" "+st.paint(bold, string(x.Task))+"  "+fit(x.Title, st.width()-len(x.Task)-4))
	fmt.Fprintln(out)
	for _, line := range wrapped(oneLine(x.sentence()), 6, st.width()) {
		fmt.Fprintln(out, line)
	}
	for i, c := range x.Causes {
		fmt.Fprintln(out)
		if i == shownCauses {
			fmt.Fprintf(out, "… and %d more causes\n", len(x.Causes)-i)
			break
		}
		c.text(out, st)
	}
	if len(x.Blocks) > 0 {
		fmt.Fprintln(out)
		for _, line := range wrapped("Waiting for it: "+ids(x.Blocks, 12), 3, st.width()) {
			fmt.Fprintln(out, line)
		}
	}
	fmt.Fprintln(out)
	writeNext(out, st, x.Next)
	return out.Flush()
}

func (x Explanation) sentence() string {
	text := ""
	switch x.State {
	case Done:
		text = "It is done: its commit is on the branch."
	case UpToDate:
		text = "It is up to date: its result.md on the branch says DONE for this very spec."
		if x.Why != "" {
			text = "It counts as done. " + sentenceCase(x.Why) + "."
		}
	case Failed:
		text = "It is FAILED. Its last failure was " + x.Why + "."
	case Running:
		text = "It is being worked on."
	case Interrupted:
		text = "It was interrupted: " + x.Why + "."
	case Waiting:
		text = "It is waiting " + x.Why + "."
	case Skipped:
		text = "It was skipped: " + x.Why + "."
	case NotStarted:
		text = "It is ready to start."
		if len(x.Causes) > 0 {
			text = "It has not started: " + causesSentence(x.Causes) + "."
		} else if x.Why != "ready" {
			text = "It has not started: " + x.Why + "."
		}
	case NotAsked:
		text = "It is not part of this session."
	}
	if x.Stale != "" && x.State != Done {
		text += " It runs again although it was done before: " + x.Stale + "."
	}
	return text
}

func causesSentence(causes []Cause) string {
	texts := make([]string, len(causes))
	for i, c := range causes {
		texts[i] = fmt.Sprintf("%s is %s", c.Task, c.State)
	}
	return some(texts, 3)
}

// text draws the path to a cause as a staircase, and the cause's own reason.
func (c Cause) text(out *bufio.Writer, st Style) {
	const steps = 6
	path := c.Path
	for i, id := range path {
		if len(path) > steps && i > 1 && i < len(path)-2 {
			if i == 2 {
				fmt.Fprintf(out, "%s… %d more\n", strings.Repeat("  ", i), len(path)-4)
			}
			continue
		}
		depth := i
		if len(path) > steps && i > 2 {
			depth = i - (len(path) - 5)
		}
		if i == 0 {
			fmt.Fprintln(out, string(id))
			continue
		}
		lead := strings.Repeat("  ", depth-1) + "└ needs "
		if i < len(path)-1 {
			fmt.Fprintln(out, lead+string(id))
			continue
		}
		_, h := c.State.mark()
		text := string(c.State)
		if c.Why != "" && c.Why != text {
			text += ": " + c.Why
		}
		room := st.width() - depth*2 - 8 - len(id)
		fmt.Fprintln(out, lead+string(id)+"  "+st.paint(h, fit(text, room)))
	}
}

func sentenceCase(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
