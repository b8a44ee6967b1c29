package dispatch

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxReference is longer than any reference worth decoding: "&#x0010FFFF;".
const maxReference = 16

// decodeReferences replaces the five named references and the numeric ones,
// once. Anything else that begins with & stays text: there are no entities, so
// none can be expanded.
func decodeReferences(s string) string {
	amp := strings.IndexByte(s, '&')
	if amp < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for amp >= 0 {
		b.WriteString(s[:amp])
		s = s[amp:]
		if r, n := reference(s); n > 0 {
			b.WriteRune(r)
			s = s[n:]
		} else {
			b.WriteByte('&')
			s = s[1:]
		}
		amp = strings.IndexByte(s, '&')
	}
	b.WriteString(s)
	return b.String()
}

// reference reads the reference that s, which starts with &, begins with. It
// returns the character and the reference's length, 0 if there is none.
func reference(s string) (rune, int) {
	semicolon := strings.IndexByte(s[:min(len(s), maxReference)], ';')
	if semicolon < 0 {
		return 0, 0
	}
	name, n := s[1:semicolon], semicolon+1
	switch name {
	case "lt":
		return '<', n
	case "gt":
		return '>', n
	case "amp":
		return '&', n
	case "quot":
		return '"', n
	case "apos":
		return '\'', n
	}
	digits, numeric := strings.CutPrefix(name, "#")
	if !numeric || digits == "" {
		return 0, 0
	}
	base := 10
	if hex, ok := strings.CutPrefix(digits, "x"); ok {
		digits, base = hex, 16
	}
	code, err := strconv.ParseUint(digits, base, 32)
	if err != nil {
		return 0, 0
	}
	if code == 0 || code > utf8.MaxRune || !utf8.ValidRune(rune(code)) {
		return utf8.RuneError, n
	}
	return rune(code), n
}
