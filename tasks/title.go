package tasks

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
)

var (
	titlePattern     = regexp.MustCompile(`(?i)^` + idExpr + `(?:$|\s|[:：—–-])`)
	titleSeparator   = regexp.MustCompile(`^\s*(?:[:：—–-]\s*)?`)
	planTitlePattern = regexp.MustCompile(`^([\p{L}][\p{L}\p{N}_]*(?:-[\p{L}\p{N}_]+)*-[0-9]+)(?:$|\s|[:：—–-])`)
)

// firstHeading returns the text of the first level-1 heading.
func (d *document) firstHeading() (line, bool) {
	for _, n := range d.blocks {
		if h, ok := n.(*ast.Heading); ok && h.Level == 1 {
			return d.headingText(h), true
		}
	}
	return line{}, false
}

// title returns what a TASK is called: the first level-1 heading without the id,
// else the slug, else the id. The file's name decides the id; a heading with
// another one is warned of.
func (d *document) title(n fileName) (string, []Problem) {
	var problems []Problem
	title := ""
	if h, ok := d.firstHeading(); ok {
		title = h.text
		if m := titlePattern.FindStringSubmatchIndex(title); m != nil {
			if id, ok := canonical(title[m[4]:m[5]]); !ok || id != n.id {
				problems = append(problems, d.place(h.offset).problem(Warning,
					"the heading says %s but the file's name says %s, which counts: make them equal", brief(title[m[0]:m[5]]), n.id))
			}
			title = afterID(title[m[5]:])
		}
	}
	title = strings.Join(strings.Fields(title), " ")
	switch {
	case title != "":
		return title, problems
	case n.slug != "":
		return n.slug, problems
	}
	return string(n.id), problems
}

// workTitle takes PLAN.md's title apart into the id of the work, "" without one,
// and the rest.
func (d *document) workTitle() (work, title string) {
	h, ok := d.firstHeading()
	if !ok {
		return "", ""
	}
	title = strings.Join(strings.Fields(h.text), " ")
	if m := planTitlePattern.FindStringSubmatchIndex(title); m != nil {
		return title[m[2]:m[3]], afterID(title[m[3]:])
	}
	return "", title
}

// afterID drops the separator that stands between an id and a title.
func afterID(s string) string { return s[len(titleSeparator.FindString(s)):] }
