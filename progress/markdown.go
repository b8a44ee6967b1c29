package progress

import "strings"

// line is one line of a Markdown file as its reader sees it.
type line struct {
	text   string // without quote marks, comments and trailing space
	indent int    // columns before the text
	hidden bool   // inside a code fence, or one of its fences
}

func (l line) blank() bool { return !l.hidden && l.text == "" }

// heading is the level and the text of an ATX heading; level 0 if it is none.
func (l line) heading() (level int, text string) {
	if l.hidden || l.indent > 3 {
		return 0, ""
	}
	rest := strings.TrimLeft(l.text, "#")
	level = len(l.text) - len(rest)
	if level == 0 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	return level, strings.TrimSpace(strings.TrimRight(strings.TrimSpace(rest), "#"))
}

// bullet is the text after the mark of a list item.
func (l line) bullet() (text string, ok bool) {
	if l.hidden || len(l.text) < 2 || !strings.ContainsRune("-*+", rune(l.text[0])) || l.text[1] != ' ' && l.text[1] != '\t' {
		return "", false
	}
	return strings.TrimSpace(l.text[1:]), true
}

// lines splits a Markdown file. Fences are recognised at any indent, as lists
// indent them; a fence or comment that is never closed hides all that follows.
func lines(file string) []line {
	file = strings.TrimPrefix(file, "\ufeff")
	var out []line
	fence, comment := "", false
	for raw := range strings.SplitSeq(file, "\n") {
		text := strings.TrimRight(raw, " \t\r")
		if fence != "" {
			out = append(out, line{hidden: true})
			if closesFence(unquote(text), fence) {
				fence = ""
			}
			continue
		}
		text, comment = withoutComments(text, comment)
		text = strings.TrimRight(unquote(text), " \t")
		l := line{text: strings.TrimLeft(text, " \t"), indent: indentOf(text)}
		inItem := l.text
		if entry, ok := l.bullet(); ok {
			inItem = entry
		}
		if fence = opensFence(inItem); fence != "" {
			l = line{hidden: true}
		}
		out = append(out, l)
	}
	return out
}

// unquote removes the marks of block quotes.
func unquote(s string) string {
	for {
		rest, ok := strings.CutPrefix(strings.TrimLeft(s, " "), ">")
		if !ok {
			return s
		}
		s = strings.TrimPrefix(rest, " ")
	}
}

func indentOf(s string) int {
	columns := 0
	for _, c := range s {
		switch c {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns
		}
	}
	return columns
}

// opensFence is the run of marks that begins a fenced block, "" if s does not.
func opensFence(s string) string {
	for _, mark := range []string{"`", "~"} {
		info := strings.TrimLeft(s, mark)
		if n := len(s) - len(info); n >= 3 && (mark == "~" || !strings.Contains(info, "`")) {
			return s[:n]
		}
	}
	return ""
}

func closesFence(s, fence string) bool {
	s = strings.TrimSpace(s)
	return len(s) >= len(fence) && strings.Trim(s, fence[:1]) == ""
}

// withoutComments removes what a line holds of HTML comments, and tells whether
// one is still open at its end. A comment mark in a code span is text, and so is
// one after an odd number of backslashes.
func withoutComments(s string, open bool) (string, bool) {
	var kept strings.Builder
	for {
		if open {
			_, after, closed := strings.Cut(s, "-->")
			if !closed {
				return kept.String(), true
			}
			s, open = after, false
		}
		at := commentStart(s)
		if at < 0 {
			kept.WriteString(s)
			return kept.String(), false
		}
		kept.WriteString(s[:at])
		s, open = s[at+len("<!--"):], true
	}
}

func commentStart(s string) int {
	code, backslashes := false, 0
	for i := range len(s) {
		switch {
		case s[i] == '`' && (code || backslashes%2 == 0):
			code = !code
		case !code && backslashes%2 == 0 && strings.HasPrefix(s[i:], "<!--"):
			return i
		}
		if s[i] == '\\' {
			backslashes++
		} else {
			backslashes = 0
		}
	}
	return -1
}
