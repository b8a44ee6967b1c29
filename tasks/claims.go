package tasks

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// dep is a dependency with the place that names it.
type dep struct {
	id     ID
	prefix string
	place  place
}

// claim is what one dependency place says. An empty one says that there are no
// dependencies.
type claim struct {
	place    place
	deps     []dep
	says     bool      // anything at all about dependencies
	problems []Problem // ranges and other things that are not guessed
}

// ids returns the claim's dependencies as a set, by number.
func (c claim) ids() []ID {
	ids := make([]ID, len(c.deps))
	for i, d := range c.deps {
		ids[i] = d.id
	}
	return sortedSet(ids)
}

// add reads one text into the claim and reports whether it says anything.
func (c *claim) add(d *document, l line) bool {
	list := readIDs(l.text)
	for _, m := range list.ids {
		c.deps = append(c.deps, dep{m.id, m.prefix, d.place(l.offset + m.at)})
	}
	if list.shorthand != "" {
		c.problems = append(c.problems, d.place(l.offset+list.at).problem(Error,
			"%s is a range or shorthand, which is never guessed: write each id out, as in TASK-01, TASK-02", brief(list.shorthand)))
	}
	if m, ok := firstOther(list); ok {
		c.problems = append(c.problems, d.place(l.offset+m.at).problem(Warning,
			"%s stands behind other words and is not read as a dependency; if it is one, put it into the list at the start", m.id))
	}
	c.says = c.says || list.speaks()
	return list.speaks()
}

// firstOther returns the first id that stands behind the list and not in it.
func firstOther(list idList) (mention, bool) {
	if len(list.unread) == 0 {
		return mention{}, false
	}
	in := make(map[ID]bool, len(list.ids))
	for _, m := range list.ids {
		in[m.id] = true
	}
	for _, m := range list.unread {
		if !in[m.id] {
			return m, true
		}
	}
	return mention{}, false
}

// claims returns what each dependency place of a TASK's Markdown says, in the
// order of the file, and what is wrong in those places.
func (d *document) claims(sections []section) ([]claim, []Problem) {
	all := d.quoteClaims()
	for _, s := range sections {
		if s.level != 2 && s.level != 3 {
			continue
		}
		if dependencyKey(s.name) {
			all = append(all, d.sectionClaim(s))
		}
		if s.name == "overview" || s.name == "task 개요" {
			all = append(all, d.rowClaims(s)...)
		}
	}
	var found []claim
	var problems []Problem
	for _, c := range all {
		problems = append(problems, c.problems...)
		if c.says {
			found = append(found, c)
		}
	}
	return found, problems
}

// quoteClaims reads the blockquotes of the header: those before the first
// heading below the title.
func (d *document) quoteClaims() []claim {
	var found []claim
	for _, n := range d.blocks {
		if h, ok := n.(*ast.Heading); ok && h.Level > 1 {
			break
		}
		if n.Kind() != ast.KindBlockquote {
			continue
		}
		within(n, func(n ast.Node) {
			for _, l := range d.linesOf(n) {
				for _, part := range splitBars(l) {
					if value, ok := keyed(part); ok {
						c := claim{place: d.place(part.offset)}
						c.add(d, value)
						found = append(found, c)
					}
				}
			}
		})
	}
	return found
}

// splitBars cuts "A: … | B: …" into its parts, each judged by its own key.
func splitBars(l line) []line {
	var parts []line
	for {
		i := strings.IndexByte(l.text, '|')
		if i < 0 {
			return append(parts, trimmed(l))
		}
		parts = append(parts, trimmed(line{l.text[:i], l.offset}))
		l = l.from(i + 1)
	}
}

func trimmed(l line) line {
	l = l.from(len(l.text) - len(strings.TrimLeft(l.text, " \t")))
	l.text = strings.TrimRight(l.text, " \t")
	return l
}

// sectionClaim reads a Dependencies section: each bullet, and each line of a
// paragraph that starts with an id or a word for none. A section with nothing in
// it says that there are none.
func (d *document) sectionClaim(s section) claim {
	c := claim{place: d.place(s.pos), says: len(s.blocks) == 0}
	for _, n := range s.blocks {
		if n.Kind() == ast.KindBlockquote {
			continue
		}
		if id, at := d.idInTable(n); id != "" {
			c.problems = append(c.problems, d.place(at).problem(Warning,
				"%s stands in a table under Dependencies, which is not read: write a list of ids instead", id))
		}
		within(n, func(n ast.Node) {
			lines := d.linesOf(n)
			if len(lines) > 0 && n.Parent().Kind() == ast.KindListItem {
				lines = []line{joined(lines)}
			}
			for i, l := range lines {
				if value, ok := keyed(l); ok {
					l = value
				}
				if !c.add(d, l) && i == 0 {
					break // prose, whatever its next line starts with
				}
			}
		})
	}
	return c
}

// idInTable returns the first id that starts a cell of a table, and where.
func (d *document) idInTable(n ast.Node) (ID, int) {
	for _, row := range d.rows(n) {
		for _, c := range row {
			if ids := readIDs(c.text).ids; len(ids) > 0 {
				return ids[0].id, c.offset + ids[0].at
			}
		}
	}
	return "", 0
}

// rowClaims reads the rows of the Overview table whose first cell is a key.
func (d *document) rowClaims(s section) []claim {
	var found []claim
	for _, n := range s.blocks {
		for _, row := range d.rows(n) {
			if len(row) < 2 || !dependencyKey(normalKey(row[0].text)) {
				continue
			}
			c := claim{place: d.place(row[0].offset)}
			c.add(d, row[1])
			found = append(found, c)
		}
	}
	return found
}

// rows returns the cells of a table, header first; nothing for another block.
func (d *document) rows(n ast.Node) [][]line {
	table, ok := n.(*east.Table)
	if !ok {
		return nil
	}
	var rows [][]line
	for r := table.FirstChild(); r != nil; r = r.NextSibling() {
		var cells []line
		for cell := r.FirstChild(); cell != nil; cell = cell.NextSibling() {
			l := line{offset: max(r.Pos(), cell.Pos())}
			if lines := d.linesOf(cell); len(lines) > 0 {
				l = lines[0]
			}
			cells = append(cells, l)
		}
		rows = append(rows, cells)
	}
	return rows
}

// agree reports the first claim that says something else than the one before all.
func agree(claims []claim) []Problem {
	for _, c := range claims {
		first := claims[0]
		if !slices.Equal(c.ids(), first.ids()) {
			return []Problem{c.place.problem(Error,
				"lines %d and %d of this file disagree about the dependencies (%s, %s): keep one of them",
				first.place.line, c.place.line, listed(first.ids()), listed(c.ids()))}
		}
	}
	return nil
}

// maxListed bounds how many ids a message names.
const maxListed = 10

// listed writes ids for a message.
func listed(ids []ID) string {
	if len(ids) == 0 {
		return "none"
	}
	var b strings.Builder
	for i, id := range ids {
		if i == maxListed {
			b.WriteString(" …")
			break
		}
		if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(string(id))
	}
	return b.String()
}
