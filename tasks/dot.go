package tasks

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/dominikbraun/graph"
	"github.com/dominikbraun/graph/draw"
)

// DOT writes the graph in the language of Graphviz, an arrow from each
// dependency to the TASK that needs it. Equal graphs give equal bytes.
func (g *Graph) DOT(w io.Writer) error {
	drawn := graph.New(graph.StringHash, graph.Directed())
	for i := range g.tasks {
		t := &g.tasks[i]
		_ = drawn.AddVertex(string(t.ID), graph.VertexAttribute("label", dotLabel(string(t.ID)+"\n"+t.Title)))
		for _, d := range g.deps[i] {
			_ = drawn.AddEdge(string(g.tasks[d].ID), string(t.ID))
		}
	}
	var b bytes.Buffer
	if err := draw.DOT(drawn, &b, draw.GraphAttribute("rankdir", "LR")); err != nil {
		return fmt.Errorf("draw the graph: %w", err)
	}
	_, err := io.WriteString(w, sortStatements(b.String()))
	return err
}

// dotLabel escapes text for a quoted DOT string: a title is anything a file says.
func dotLabel(s string) string {
	var b strings.Builder
	for _, r := range strings.TrimSpace(s) {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case unicode.IsControl(r):
			b.WriteRune(unicode.ReplacementChar)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// sortStatements puts the statements, one a line, in order: the library writes
// them in the order of its maps, with blank lines between.
func sortStatements(dot string) string {
	var statements []string
	var head, tail string
	for line := range strings.Lines(dot) {
		switch {
		case strings.TrimSpace(line) == "":
		case line[0] == '\t':
			statements = append(statements, line)
		case head == "":
			head = line
		default:
			tail = line
		}
	}
	slices.Sort(statements)
	return head + strings.Join(statements, "") + tail
}
