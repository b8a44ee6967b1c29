package mirror

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// token is a word, a number, a quoted text or a sign of a statement.
type token struct {
	at   int // offset in bytes
	text string
}

func (t token) end() int { return t.at + len(t.text) }

// is compares a token with a name that SQLite tells of.
func (t token) is(name string) bool {
	return strings.EqualFold(t.text, name) || len(t.text) > 2 && strings.EqualFold(t.text[1:len(t.text)-1], name)
}

// tokens are those of a statement, without blanks and comments. Quotes and
// comments are those of SQLite.
func tokens(statement string) iter.Seq[token] {
	return func(yield func(token) bool) {
		for at := 0; at < len(statement); {
			rest := statement[at:]
			n, blank := length(rest)
			if !blank && !yield(token{at, rest[:n]}) {
				return
			}
			at += n
		}
	}
}

// length is that of the token, the blank or the comment that a text begins with.
func length(text string) (n int, blank bool) {
	switch c := text[0]; {
	case strings.HasPrefix(text, "--"):
		return through(text, "\n", 2), true
	case strings.HasPrefix(text, "/*"):
		return through(text, "*/", 2), true
	case strings.IndexByte(" \t\n\r\f", c) >= 0:
		return 1, true
	case c == '\'' || c == '"' || c == '`':
		return through(text, string(c), 1), false // a doubled one ends a text, and begins one
	case c == '[':
		return through(text, "]", 1), false
	case !inWord(c):
		return 1, false
	}
	for n < len(text) && inWord(text[n]) {
		n++
	}
	return n, false
}

func inWord(c byte) bool {
	return c == '_' || c == '$' || c >= utf8.RuneSelf || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// through is the length of a text up to and with its end, all of it without one.
func through(text, end string, from int) int {
	if i := strings.Index(text[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(text)
}

// single refuses a text that is not one statement.
func single(text string) error {
	begun, ended := false, false
	for t := range tokens(text) {
		switch {
		case t.text == ";":
			ended = begun
		case ended:
			line, column := position(text, t.at)
			return &QueryError{line, column, "one statement at a time"}
		default:
			begun = true
		}
	}
	if !begun {
		return &QueryError{Text: "there is no statement"}
	}
	return nil
}

// position is the line and the column of an offset.
func position(statement string, at int) (line, column int) {
	before := statement[:at]
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}
