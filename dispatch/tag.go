package dispatch

import (
	"bytes"

	"github.com/beevik/etree"

	"github.com/taskpipeline/pipeline/window"
)

// maxAttrs is how many attributes of one tag are read.
const maxAttrs = 64

// tag is one start tag, read leniently.
type tag struct {
	name    string
	attrs   []etree.Attr
	end     int    // position after the tag
	empty   bool   // <name/>
	cutOff  bool   // the text ends inside the tag
	problem string // why the tag is not well-formed, though it can be nothing else
}

// has tells whether the tag has an attribute, or is broken where it may have
// had it.
func (t tag) has(attr string) bool {
	for _, a := range t.attrs {
		if a.Key == attr {
			return true
		}
	}
	return t.problem != "" || t.cutOff
}

// lexTag reads the start tag at text[at], which is '<'. It returns false for
// anything that is better taken as text: `< b`, `<T any>`, `<-ch`. A tag never
// reaches beyond the next '<'.
func lexTag(text []byte, at int) (tag, bool) {
	nameEnd := at + 1
	for nameEnd < len(text) && isNameByte(text[nameEnd], nameEnd == at+1) {
		nameEnd++
	}
	t := tag{name: string(text[at+1 : nameEnd])}
	if t.name == "" {
		return tag{}, false
	}
	pos := nameEnd
	for {
		spaced := pos
		pos = skipSpace(text, pos)
		switch {
		case pos == len(text):
			t.end, t.cutOff = pos, true
			return t, len(t.attrs) > 0
		case text[pos] == '>':
			t.end = pos + 1
			return t, true
		case bytes.HasPrefix(text[pos:], []byte("/>")):
			t.end, t.empty = pos+2, true
			return t, true
		case pos == spaced:
			return t.broken(text, pos)
		}
		var ok bool
		if pos, ok = t.attr(text, pos); !ok {
			return t.broken(text, pos)
		}
	}
}

// attr reads one attribute at pos and returns the position after it, or false
// and where it stopped being one.
func (t *tag) attr(text []byte, pos int) (int, bool) {
	start := pos
	for pos < len(text) && isNameByte(text[pos], pos == start) {
		pos++
	}
	key := string(text[start:pos])
	pos = skipSpace(text, pos)
	if key == "" || pos == len(text) || text[pos] != '=' {
		return pos, false
	}
	// From here on it is a tag, whatever follows.
	t.problem = "the attribute " + key + " is not quoted"
	pos = skipSpace(text, pos+1)
	if pos == len(text) || text[pos] != '"' && text[pos] != '\'' {
		return pos, false
	}
	quote := text[pos]
	pos++
	length := bytes.IndexAny(text[pos:], string([]byte{quote, '<'}))
	if length < 0 {
		return len(text), false
	}
	if text[pos+length] == '<' {
		return pos + length, false
	}
	t.problem = ""
	switch {
	case len(t.attrs) == maxAttrs:
		t.problem = "it has too many attributes"
		return pos + length, false
	case t.has(key):
		t.problem = "the attribute " + key + " is repeated"
		return pos + length + 1, false
	}
	value := window.Printable(decodeReferences(string(text[pos : pos+length])))
	t.attrs = append(t.attrs, etree.Attr{Key: key, Value: value})
	return pos + length + 1, true
}

// broken ends a tag that cannot be read on at pos. Without an attribute it was
// never a tag; with one it ends at the next '>' before any '<'.
func (t tag) broken(text []byte, pos int) (tag, bool) {
	if len(t.attrs) == 0 && t.problem == "" {
		return tag{}, false
	}
	if t.problem == "" {
		t.problem = "its attributes cannot be read"
	}
	i := bytes.IndexAny(text[pos:], "<>")
	switch {
	case i < 0:
		t.end, t.cutOff = len(text), true
	case text[pos+i] == '<':
		t.end = pos + i
	default:
		t.end = pos + i + 1
		t.empty = text[t.end-2] == '/'
	}
	return t, true
}

// closes tells whether text[at:], which starts with '<', is the end tag of
// name, and where it ends.
func closes(text []byte, at int, name string) (end int, ok bool) {
	rest, ok := bytes.CutPrefix(text[at:], []byte("</"+name))
	if !ok {
		return 0, false
	}
	pos := skipSpace(text, len(text)-len(rest))
	if pos == len(text) || text[pos] != '>' {
		return 0, false
	}
	return pos + 1, true
}

func skipSpace(text []byte, pos int) int {
	for pos < len(text) && (text[pos] == ' ' || text[pos] == '\t' || text[pos] == '\n' || text[pos] == '\r') {
		pos++
	}
	return pos
}

func isNameByte(c byte, first bool) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		return true
	case c >= '0' && c <= '9', c == '-', c == '.', c == ':':
		return !first
	}
	return false
}
