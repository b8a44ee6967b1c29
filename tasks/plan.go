package tasks

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
)

// planFile is the file that describes the whole work.
const planFile = "PLAN.md"

// plan is what PLAN.md says.
type plan struct {
	work, title string
	claims      map[ID][]claim
}

// readPlan reads PLAN.md.
func readPlan(fsys fs.FS, entry fs.DirEntry, md parser.Parser) (plan, []Problem) {
	whole := place{file: planFile}
	data, err := readFile(fsys, entry, MaxPlanSize)
	if errors.Is(err, errDirectory) {
		return plan{}, []Problem{whole.problem(Warning, "%s and is ignored", err)}
	}
	if err != nil {
		return plan{}, []Problem{whole.problem(Error, "%s", err)}
	}
	text, problems := decode(planFile, data)
	if anyError(problems) {
		return plan{}, problems
	}
	_, markdown, body, closed := splitFrontMatter(text)
	if !closed {
		markdown, body = text, 1
	}
	d, more := parseMarkdown(md, planFile, markdown, body)
	problems = append(problems, more...)
	p := plan{claims: d.planClaims()}
	p.work, p.title = d.workTitle()
	for _, u := range d.unclosed() {
		u.Severity = Warning // it may hide text, but PLAN.md is prose first
		problems = append(problems, u)
	}
	return p, problems
}

// planClaims returns what the plan says of each TASK: bullets with a dependency
// key under a heading that starts with the TASK's id, and tables with a column
// whose header is such a key.
func (d *document) planClaims() map[ID][]claim {
	claims := map[ID][]claim{}
	var current ID
	level := 0
	for _, n := range d.blocks {
		switch n := n.(type) {
		case *ast.Heading:
			if ids := readIDs(d.headingText(n).text).ids; len(ids) > 0 {
				current, level = ids[0].id, n.Level
			} else if n.Level <= level {
				current = ""
			}
		case *ast.List:
			if current != "" {
				claims[current] = append(claims[current], d.bulletClaims(n)...)
			}
		default:
			d.columnClaims(n, claims)
		}
	}
	return claims
}

// bulletClaims reads the bullets of a list that start with a dependency key.
func (d *document) bulletClaims(list *ast.List) []claim {
	var found []claim
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		first := item.FirstChild()
		if first == nil || (first.Kind() != ast.KindTextBlock && first.Kind() != ast.KindParagraph) {
			continue
		}
		lines := d.linesOf(first)
		if len(lines) == 0 {
			continue
		}
		bullet := joined(lines)
		if value, ok := keyed(bullet); ok {
			c := claim{place: d.place(bullet.offset)}
			if c.add(d, value) {
				found = append(found, c)
			}
		}
	}
	return found
}

// columnClaims reads a table with a dependencies column. A row is about the TASK
// whose id starts its first other cell that starts with one.
func (d *document) columnClaims(n ast.Node, claims map[ID][]claim) {
	rows := d.rows(n)
	if len(rows) == 0 {
		return
	}
	var columns []int
	for i, c := range rows[0] {
		if dependencyKey(normalKey(c.text)) {
			columns = append(columns, i)
		}
	}
	if len(columns) == 0 {
		return
	}
	for _, row := range rows[1:] {
		var task ID
		for i, c := range row {
			if ids := readIDs(c.text).ids; len(ids) > 0 && !slices.Contains(columns, i) {
				task = ids[0].id
				break
			}
		}
		if task == "" {
			continue
		}
		for _, i := range columns {
			if i >= len(row) {
				continue
			}
			c := claim{place: d.place(row[i].offset)}
			if c.add(d, row[i]) {
				claims[task] = append(claims[task], c)
			}
		}
	}
}
