package view

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Plain makes text from a file or a program safe to show on a line of a
// terminal: no control characters, no line breaks that could pass for a line of
// ours, nothing that turns the direction of writing.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t' || r == '\u2028' || r == '\u2029':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Fit is Plain, cut to a number of terminal columns. A cut ends in "…".
func Fit(s string, columns int) string {
	return ansi.Truncate(Plain(s), max(columns, 0), "…")
}
