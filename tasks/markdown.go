package tasks

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// newMarkdown returns a parser of blocks and tables only: whatever matters in a
// TASK file is decided by lines, and inline markup is left as it is written.
func newMarkdown() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
	)
}

// document is the Markdown of one file with the places of its blocks.
type document struct {
	file   string
	source []byte
	first  int   // number of the source's first line in the file
	lines  []int // offset at which each line starts
	blocks []ast.Node
	seen   struct{ offset, line, col int } // the place asked for last
}

// parseMarkdown splits a source, whose first line has that number in the file.
func parseMarkdown(md parser.Parser, file, source string, first int) (*document, []Problem) {
	d := &document{file: file, source: []byte(source), first: first, lines: []int{0}}
	for i, c := range d.source {
		if c == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	if at := tooNested(d.source); at >= 0 {
		return d, []Problem{d.place(at).problem(Error, "this line opens over %d quotes and lists: nest less", maxNesting)}
	}
	root := md.Parse(text.NewReader(d.source))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		d.blocks = append(d.blocks, n)
	}
	return d, nil
}

// lineIndex returns the index of the line that holds an offset.
func (d *document) lineIndex(offset int) int {
	return max(0, sort.SearchInts(d.lines, offset+1)-1)
}

// place returns where in the file an offset of the source is; columns count
// characters. Asking in ascending order costs one walk over each line in all.
func (d *document) place(offset int) place {
	offset = min(max(0, offset), len(d.source))
	i := d.lineIndex(offset)
	from, col := d.lines[i], 1
	if d.seen.line == i && from <= d.seen.offset && d.seen.offset <= offset {
		from, col = d.seen.offset, max(1, d.seen.col)
	}
	col += utf8.RuneCount(d.source[from:offset])
	d.seen.offset, d.seen.line, d.seen.col = offset, i, col
	return place{d.file, d.first + i, col}
}

// lineText returns a line without its end, "" after the last one.
func (d *document) lineText(i int) string {
	if i >= len(d.lines) {
		return ""
	}
	end := len(d.source)
	if i+1 < len(d.lines) {
		end = d.lines[i+1] - 1
	}
	return string(d.source[d.lines[i]:end])
}

// line is one line of a block's text, free of what its containers add.
type line struct {
	text   string
	offset int // of its first byte in the source
}

// from returns the rest of a line from byte i on.
func (l line) from(i int) line { return line{l.text[i:], l.offset + i} }

// joined makes one line of several. The gaps between them are kept so that
// offsets stay true.
func joined(lines []line) line {
	if len(lines) == 1 {
		return lines[0]
	}
	var b strings.Builder
	b.WriteString(lines[0].text)
	for _, l := range lines[1:] {
		b.WriteString(strings.Repeat(" ", max(1, l.offset-lines[0].offset-b.Len())))
		b.WriteString(l.text)
	}
	return line{b.String(), lines[0].offset}
}

// linesOf returns the lines of a heading, a paragraph, a list item's text or a
// table's cell. A line that ends in a comma goes on in the next one.
func (d *document) linesOf(n ast.Node) []line {
	var lines, open []line
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		l := line{strings.TrimRight(string(s.Value(d.source)), " \t\n"), s.Start}
		open = append(open, l)
		if !strings.HasSuffix(l.text, ",") && !strings.HasSuffix(l.text, "、") {
			lines = append(lines, joined(open))
			open = open[:0]
		}
	}
	if len(open) > 0 {
		lines = append(lines, joined(open))
	}
	return lines
}

// within yields every block under n that holds text of its own: paragraphs and
// the text of list items, but nothing inside code, comments or tables.
func within(n ast.Node, visit func(ast.Node)) {
	switch n.Kind() {
	case ast.KindParagraph, ast.KindTextBlock:
		visit(n)
	case ast.KindList, ast.KindListItem, ast.KindBlockquote:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			within(c, visit)
		}
	}
}

// section is a heading and what stands under it.
type section struct {
	level  int
	name   string     // normalised as a key
	pos    int        // offset of the heading's text
	blocks []ast.Node // up to the next heading that is not below this one
}

// sections returns the sections of the document in order; one below another is
// also part of that one.
func (d *document) sections() []section {
	var found []section
	for i, n := range d.blocks {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		rest := d.blocks[i+1:]
		end := slices.IndexFunc(rest, func(n ast.Node) bool {
			next, ok := n.(*ast.Heading)
			return ok && next.Level <= h.Level
		})
		if end >= 0 {
			rest = rest[:end]
		}
		title := d.headingText(h)
		found = append(found, section{h.Level, normalKey(title.text), title.offset, rest})
	}
	return found
}

func (d *document) headingText(h *ast.Heading) line {
	if lines := d.linesOf(h); len(lines) > 0 {
		return lines[0]
	}
	return line{offset: h.Pos()}
}
