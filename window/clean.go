package window

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean is the one rule for text that comes from an agent or a file, before it
// is kept, sent or written: CRLF becomes LF, whatever is no character (invalid
// UTF-8, control characters but tab and line feed, the code points that XML
// forbids) becomes U+FFFD, and white space at both ends goes.
// Clean(Clean(s)) == Clean(s).
func Clean(s string) string { return strings.TrimSpace(Printable(s)) }

// Printable is Clean without the trimming.
func Printable(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r == '\uFFFE', r == '\uFFFF':
			return utf8.RuneError
		}
		return r
	}, s)
}

// Clean is the handoff with each field cleaned.
func (h Handoff) Clean() Handoff {
	return Handoff{
		What:       Clean(h.What),
		Why:        Clean(h.Why),
		Caution:    Clean(h.Caution),
		Incomplete: Clean(h.Incomplete),
	}
}
