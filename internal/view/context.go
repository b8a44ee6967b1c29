package view

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// Context is what the window lets through to a TASK's builder, and the dispatch
// that it gives.
type Context struct {
	Task      tasks.ID     `json:"task"`
	Title     string       `json:"title"`
	Attempt   int          `json:"attempt"`
	Ancestors []Ancestor   `json:"ancestors"` // by distance, then by number
	Total     ContextTotal `json:"total"`
	Dispatch  string       `json:"dispatch"` // the exact XML
}

// Ancestor is one TASK that another depends on, and what is sent of its handoff.
// Bytes are those of the fields' text; a token is taken to be four bytes.
type Ancestor struct {
	Task     tasks.ID     `json:"task"`
	Distance int          `json:"distance"`
	Path     []tasks.ID   `json:"path"` // a shortest one: from the TASK to the ancestor; null beyond distance 1000
	Level    window.Level `json:"level"`
	Bytes    int          `json:"bytes"`
	Tokens   int          `json:"tokens"`
	State    Standing     `json:"state"`
	Cut      bool         `json:"cut,omitempty"` // shortened, for the dispatch would be too long

	full int
}

// ContextTotal compares what is sent of the ancestors with sending everything.
type ContextTotal struct {
	Bytes      int `json:"bytes"`
	Tokens     int `json:"tokens"`
	FullBytes  int `json:"full_bytes"`
	FullTokens int `json:"full_tokens"`
}

// Context tells what the builder of a TASK is sent in the attempt it is in, or
// comes to next. The error is that of encoding the dispatch.
func (r *Record) Context(id tasks.ID) (Context, error) {
	state := r.Plan.State(id)
	t, _ := r.Plan.Graph().Get(id)
	d, _ := r.Plan.Dispatch(scheduler.Step{Task: id, Stage: dispatch.Builder, Attempt: max(state.Attempt, 1), Round: 1}).Limit(dispatch.MaxSize)
	var xml bytes.Buffer
	if err := d.Encode(&xml); err != nil {
		return Context{}, fmt.Errorf("%s: %w", id, err)
	}
	c := Context{Task: id, Title: t.Title, Attempt: d.Attempt, Ancestors: r.ancestors(id, d), Dispatch: xml.String()}
	for i := range c.Ancestors {
		c.Total.Bytes += c.Ancestors[i].Bytes
		c.Total.FullBytes += c.Ancestors[i].full
	}
	c.Total.Tokens, c.Total.FullTokens = estimate(c.Total.Bytes), estimate(c.Total.FullBytes)
	return c, nil
}

// ancestors measures what a dispatch holds of every ancestor.
func (r *Record) ancestors(id tasks.ID, d dispatch.Dispatch) []Ancestor {
	g, borders := r.Plan.Graph(), r.Plan.Options().Window
	sent := map[tasks.ID]window.Handoff{}
	for _, s := range d.Handoffs {
		sent[s.Task] = s.Handoff
	}
	list := []Ancestor{}
	distance := map[int]int{}
	if at, ok := g.Index(id); ok {
		distance[at] = 0
	}
	for other, far := range g.Ancestors(id, 0) {
		at, _ := g.Index(other)
		distance[at] = far
		a := Ancestor{Task: other, Distance: far, Level: borders.At(far), State: r.Standing(other), Bytes: size(sent[other])}
		if h, ok := r.Plan.Handoff(other); ok {
			a.full = size(h)
			a.Cut = a.Bytes < size(h.Trim(a.Level))
		}
		a.Tokens = estimate(a.Bytes)
		list = append(list, a)
	}
	for i := range list {
		if list[i].Distance <= longestPath {
			list[i].Path = shortest(g, distance, list[i].Task)
		}
	}
	return list
}

// longestPath bounds what is written of paths: those of a chain of n TASKs have
// n² steps in all.
const longestPath = 1000

// shortest follows the distances from an ancestor down to the TASK, and gives
// the way back.
func shortest(g *tasks.Graph, distance map[int]int, from tasks.ID) []tasks.ID {
	at, _ := g.Index(from)
	path := make([]tasks.ID, distance[at]+1)
	for {
		path[distance[at]] = g.At(at).ID
		if distance[at] == 0 {
			return path
		}
		for _, d := range g.Dependents(at) {
			if far, ok := distance[d]; ok && far == distance[at]-1 {
				at = d
				break
			}
		}
	}
}

func size(h window.Handoff) int {
	return len(h.What) + len(h.Why) + len(h.Caution) + len(h.Incomplete)
}

// estimate is the number of tokens that so many bytes are taken for.
func estimate(bytes int) int { return (bytes + 3) / 4 }

// Text writes the window as a table, then the dispatch.
func (c Context) Text(w io.Writer, st Style) error {
	out := bufio.NewWriter(w)
	c.window(out, st)
	fmt.Fprintln(out)
	fmt.Fprint(out, unsteered(c.Dispatch))
	return out.Flush()
}

const shownAncestors = 30

func (c Context) window(out *bufio.Writer, st Style) {
	fmt.Fprintln(out, st.paint(bold, fit(fmt.Sprintf("%s  %s", c.Task, c.Title), st.width())))
	if len(c.Ancestors) == 0 {
		fmt.Fprintln(out, "depends on nothing: no handoff is sent")
		return
	}
	rows := [][]cell{{{text: "ancestor"}, {text: "distance", right: true}, {text: "level"}, {text: "bytes", right: true}, {text: "tokens", right: true}, {text: "path"}}}
	for i := range c.Ancestors {
		if i == shownAncestors {
			break
		}
		rows = append(rows, c.Ancestors[i].row())
	}
	for i, line := range table(st, 0, rows) {
		if i == 0 {
			line = st.paint(dim, line)
		}
		fmt.Fprintln(out, line)
	}
	if more := len(c.Ancestors) - shownAncestors; more > 0 {
		fmt.Fprintf(out, "… and %d more, farther away\n", more)
	}
	line := fmt.Sprintf("sent: %d bytes, about %d tokens", c.Total.Bytes, c.Total.Tokens)
	if saved := c.Total.FullBytes - c.Total.Bytes; saved > 0 {
		line += fmt.Sprintf("; everything would be %d bytes, about %d tokens (%d%% saved)",
			c.Total.FullBytes, c.Total.FullTokens, 100*saved/c.Total.FullBytes)
	}
	for _, l := range wrapped(line, 3, st.width()) {
		fmt.Fprintln(out, l)
	}
}

func (a *Ancestor) row() []cell {
	ids := make([]string, len(a.Path))
	for i, id := range a.Path {
		ids[i] = strings.TrimPrefix(string(id), "TASK-")
	}
	path := strings.Join(ids, " → ")
	switch {
	case !a.State.satisfies():
		path += fmt.Sprintf("  (%s: no handoff yet)", a.State)
	case a.State == Skipped:
		path += "  (skipped: hands off nothing)"
	case a.Cut:
		path += "  (cut: the dispatch would be too long)"
	}
	h := plainHue
	if a.Level == window.Drop {
		h = dim
	}
	return []cell{
		{text: string(a.Task), hue: h}, {text: fmt.Sprint(a.Distance), right: true, hue: h}, {text: a.Level.String(), hue: h},
		{text: fmt.Sprint(a.Bytes), right: true, hue: h}, {text: fmt.Sprint(a.Tokens), right: true, hue: h}, {text: path, hue: h},
	}
}
