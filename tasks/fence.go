package tasks

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// unclosed reports every fence that is never closed, and every comment: what
// stands below one is silently no part of the TASK.
func (d *document) unclosed() []Problem {
	var problems []Problem
	var look func(n ast.Node)
	look = func(n ast.Node) {
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			if !d.closed(n) {
				problems = append(problems, d.place(n.Pos()).problem(Error,
					"this fence is never closed: end it with a line of %s", d.fenceOf(n)))
			}
		case *ast.HTMLBlock:
			if n.HTMLBlockType == ast.HTMLBlockType2 && !n.HasClosure() {
				problems = append(problems, d.place(n.Pos()).problem(Warning,
					"this comment is never closed and hides the rest of the file: end it with -->"))
			}
		case *ast.List, *ast.ListItem, *ast.Blockquote:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				look(c)
			}
		}
	}
	for _, n := range d.blocks {
		look(n)
	}
	return problems
}

// fenceOf returns the run of backticks or tildes that opens a fence.
func (d *document) fenceOf(n *ast.FencedCodeBlock) string {
	open := d.source[n.Pos():]
	end := 0
	for end < len(open) && open[end] == open[0] {
		end++
	}
	return string(open[:end])
}

// closed reports whether the line after a fence's text closes it. A fence also
// ends where its list or quote does, which is never what was meant.
func (d *document) closed(n *ast.FencedCodeBlock) bool {
	last := n.Pos()
	if k := n.Lines().Len(); k > 0 {
		last = n.Lines().At(k - 1).Start
	}
	fence := d.fenceOf(n)
	next := strings.TrimLeft(d.lineText(d.lineIndex(last)+1), " \t>")
	rest := strings.TrimLeft(next, fence[:1])
	return len(next)-len(rest) >= len(fence) && strings.TrimSpace(rest) == ""
}
