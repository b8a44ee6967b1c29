package view

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/taskpipeline/pipeline/tasks"
)

// GraphMermaid writes a graph in the language of Mermaid, an arrow from each
// dependency to the TASK that needs it.
func GraphMermaid(w io.Writer, g *tasks.Graph) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "flowchart TD")
	for i := range g.Len() {
		t := g.At(i)
		fmt.Fprintf(out, "  %s[\"%s %s\"]\n", node(t.ID), t.ID, mermaidText(t.Title))
	}
	for i := range g.Len() {
		for _, d := range g.Deps(i) {
			fmt.Fprintf(out, "  %s --> %s\n", node(g.At(d).ID), node(g.At(i).ID))
		}
	}
	return out.Flush()
}

// node is an id as Mermaid takes it: a hyphen could begin an arrow.
func node(id tasks.ID) string { return strings.ReplaceAll(string(id), "-", "") }

// mermaidText escapes what Mermaid or the HTML it becomes would read as markup.
func mermaidText(s string) string {
	return strings.NewReplacer(
		"#", "#35;", "&", "#38;", `"`, "#34;", "<", "#60;", ">", "#62;", "`", "#96;", `\`, "#92;",
	).Replace(Plain(s))
}
