package secret

import "strings"

// The marks of a text that was cut, and what stands at its end or its beginning
// then: it may be a part of a secret.
var cutMarks = []string{"[...]\n", "…"}

// minEdge is the length, in bytes, from which on a part of a secret is masked.
const minEdge = 4

// edges masks the parts of secrets at the ends of a text that was cut there.
func (s *Set) edges(text string) string {
	for _, mark := range cutMarks {
		if rest, ok := strings.CutPrefix(text, mark); ok {
			if n, name := s.headOf(rest); n > 0 {
				text = mark + s.masks[name] + rest[n:]
			}
		}
		if rest, ok := strings.CutSuffix(text, mark); ok {
			if n, name := s.tailOf(rest); n > 0 {
				text = rest[:len(rest)-n] + s.masks[name] + mark
			}
		}
	}
	return text
}

// headOf is how many bytes at the beginning of text are the end of a secret.
func (s *Set) headOf(text string) (most int, name string) {
	for _, f := range s.forms {
		for n := min(len(f.text)-1, len(text)); n >= minEdge && n > most; n-- {
			if text[:n] == string(f.text[len(f.text)-n:]) {
				most, name = n, f.name
			}
		}
	}
	return most, name
}

// tailOf is how many bytes at the end of text are the beginning of a secret.
func (s *Set) tailOf(text string) (most int, name string) {
	for _, f := range s.forms {
		for n := min(len(f.text)-1, len(text)); n >= minEdge && n > most; n-- {
			if text[len(text)-n:] == string(f.text[:n]) {
				most, name = n, f.name
			}
		}
	}
	return most, name
}
