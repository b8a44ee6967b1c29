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
}

func parseMarkdown(md parser.Parser, file, source string, first int) *document {
	d := &document{file: file, source: []byte(source), first: first, lines: []int{0}}
	for i, c := range d.source {
		if c == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	root := md.Parse(text.NewReader(d.source))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		d.blocks = append(d.blocks, n)
	}
	return d
}

// lineIndex returns the index of the line that holds an offset.
func (d *document) lineIndex(offset int) int {
	return max(0, sort.SearchInts(d.lines, offset+1)-1)
}

// place returns where in the file an offset of the source is; columns count
// characters.
func (d *document) place(offset int) place {
	offset = min(max(0, offset), len(d.source))
	i := d.lineIndex(offset)
	return place{d.file, d.first + i, 1 + utf8.RuneCount(d.source[d.lines[i]:offset])}
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

// with returns a line that goes on in the next one. The gap between them is kept
// so that offsets stay true.
func (l line) with(next line) line {
	gap := max(1, next.offset-l.offset-len(l.text))
	return line{l.text + strings.Repeat(" ", gap) + next.text, l.offset}
}

// linesOf returns the lines of a heading, a paragraph, a list item's text or a
// table's cell. A line that ends in a comma goes on in the next one.
func (d *document) linesOf(n ast.Node) []line {
	var lines []line
	open := false
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		l := line{strings.TrimRight(string(s.Value(d.source)), " \t\n"), s.Start}
		if open {
			lines[len(lines)-1] = lines[len(lines)-1].with(l)
		} else {
			lines = append(lines, l)
		}
		open = strings.HasSuffix(l.text, ",") || strings.HasSuffix(l.text, "、")
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
