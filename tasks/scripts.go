package tasks

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

// scripts returns the fences of the level-2 sections of that name, in order.
func (d *document) scripts(sections []section, name string) ([]Script, []Problem) {
	var found []Script
	var problems []Problem
	var look func(n ast.Node)
	look = func(n ast.Node) {
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			s := Script{Line: d.place(n.Pos()).line, Lang: strings.ToLower(string(n.Language(d.source))), Text: d.codeOf(n)}
			switch {
			case s.Lang == "shell" || s.Lang == "zsh" || s.Lang == "console":
				problems = append(problems, d.place(n.Pos()).problem(Warning,
					"a fence of %s is not run: write bash or sh behind the opening fence if it is a script", s.Lang))
			case s.Lang != "" && s.Lang != "bash" && s.Lang != "sh":
			case strings.TrimSpace(s.Text) == "":
				problems = append(problems, d.place(n.Pos()).problem(Warning, "this script is empty and is not run: fill it or take it out"))
			default:
				found = append(found, s)
			}
		case *ast.List, *ast.ListItem:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				look(c)
			}
		}
	}
	for _, s := range sections {
		if s.level == 2 && s.name == name {
			for _, n := range s.blocks {
				look(n)
			}
		}
	}
	return found, problems
}

// codeOf returns the text of a fence, free of what its containers add.
func (d *document) codeOf(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		b.Write(s.Value(d.source))
	}
	return b.String()
}
