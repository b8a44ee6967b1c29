package secret

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// MinLength is the length, in bytes, from which on a value is a secret. A
// shorter one would be found everywhere.
const MinLength = 4

// Secret is a value that must not be written down, and the name that stands in
// its place.
type Secret struct {
	Name  string
	Value string
}

// Set is what is looked for. It is safe for concurrent use. A nil Set finds
// nothing.
type Set struct {
	forms   []form
	longest int
	begins  [256]bool // by the first byte of a form
	masks   map[string]string
}

type form struct {
	text []byte
	name string
}

// New makes the Set of some secrets, without those that are too short; nil if
// none is left.
func New(secrets []Secret) *Set {
	s := &Set{}
	seen := map[string]bool{}
	for _, secret := range secrets {
		for _, text := range spellings(secret.Value) {
			if seen[text] {
				continue
			}
			seen[text] = true
			s.forms = append(s.forms, form{[]byte(text), secret.Name})
			s.longest = max(s.longest, len(text))
			s.begins[text[0]] = true
		}
	}
	if len(s.forms) == 0 {
		return nil
	}
	slices.SortStableFunc(s.forms, func(a, b form) int { return cmp.Compare(len(b.text), len(a.text)) })
	s.masks = make(map[string]string, len(secrets))
	for _, secret := range secrets {
		s.masks[secret.Name] = s.maskFor(secret.Name)
	}
	return s
}

// maskFor is what stands in a secret's place. It holds no secret itself, so that
// what is masked stays as it is when it is masked again.
func (s *Set) maskFor(name string) string {
	for _, mask := range []string{"[secret " + strings.ToValidUTF8(name, "") + "]", "[secret]", "[***]"} {
		if s.In([]byte(mask)) == "" {
			return mask
		}
	}
	return ""
}

// In is the name of the first secret in b, "" if it holds none.
func (s *Set) In(b []byte) string {
	if found := s.spans(b); len(found) > 0 {
		return found[0].name
	}
	return ""
}

// Text is a text with every secret masked, also a part of one where the text
// was cut.
func (s *Set) Text(text string) string {
	if s == nil || text == "" {
		return text
	}
	return s.edges(string(s.Bytes([]byte(text))))
}

// Bytes is b with every secret masked; b itself if it holds none.
func (s *Set) Bytes(b []byte) []byte {
	found := s.spans(b)
	if len(found) == 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	end := 0
	for _, f := range found {
		out = s.appendMask(append(out, b[end:f.start]...), false, f.name)
		end = f.end
	}
	return append(out, b[end:]...)
}

// span is a part of a text that is made of secrets.
type span struct {
	start, end int
	name       string
}

// spans are the parts of b that are secrets, in order. Those that overlap are
// one.
func (s *Set) spans(b []byte) []span {
	if s == nil {
		return nil
	}
	next := make([]int, len(s.forms)) // where each form begins next
	for i, f := range s.forms {
		next[i] = indexFrom(b, f.text, 0)
	}
	var out []span
	for {
		first := 0
		for i, at := range next {
			if at < next[first] { // of those that begin at one place, the longest stands first
				first = i
			}
		}
		start := next[first]
		if start == len(b) {
			return out
		}
		end := start + len(s.forms[first].text)
		if n := len(out) - 1; n >= 0 && start < out[n].end {
			out[n].end = max(out[n].end, end)
		} else {
			out = append(out, span{start, end, s.forms[first].name})
		}
		next[first] = indexFrom(b, s.forms[first].text, start+1)
	}
}

// indexFrom is where text begins in b, at or after from; len(b) if it does not.
func indexFrom(b, text []byte, from int) int {
	if i := bytes.Index(b[from:], text); i >= 0 {
		return from + i
	}
	return len(b)
}

// appendMask writes what stands in a secret's place. It is valid inside a string
// of JSON and inside XML, also after a backslash that was to escape the first
// character of what is masked; odd tells of one before out.
func (s *Set) appendMask(out []byte, odd bool, name string) []byte {
	if endsOdd(out, odd) {
		out = append(out, '\\')
	}
	return append(out, s.masks[name]...)
}

// endsOdd tells whether b ends in an odd number of backslashes; odd is what
// holds of what stands before b.
func endsOdd(b []byte, odd bool) bool {
	n := len(b) - len(bytes.TrimRight(b, `\`))
	if n == len(b) && odd {
		n++
	}
	return n%2 == 1
}
