package envelope

import (
	"errors"
	"fmt"
)

// maxDepth bounds how deep the values of a reply may nest.
const maxDepth = 64

// errTooDeep is a value nested deeper than maxDepth.
var errTooDeep = fmt.Errorf("nested more than %d levels deep", maxDepth)

var errUnfinished = errors.New("the text ends in the middle of it")

// scanner finds the end of a JSON value. It gives up at the first byte that
// cannot stand there: a reply with braces in its prose is gone through in time
// that grows with its length and not with its square.
type scanner struct {
	b  []byte
	at int
}

// object scans the object that begins at s.at, which holds a '{'.
func (s *scanner) object(depth int) error {
	if depth > maxDepth {
		return errTooDeep
	}
	s.at++ // {
	if s.space() == '}' {
		s.at++
		return nil
	}
	for {
		if s.space() != '"' {
			return s.unexpected("a key in double quotes")
		}
		if err := s.text(); err != nil {
			return err
		}
		if s.space() != ':' {
			return s.unexpected("a colon")
		}
		s.at++
		if err := s.value(depth + 1); err != nil {
			return err
		}
		switch s.space() {
		case ',':
			s.at++
		case '}':
			s.at++
			return nil
		default:
			return s.unexpected("a comma or a brace")
		}
	}
}

func (s *scanner) array(depth int) error {
	if depth > maxDepth {
		return errTooDeep
	}
	s.at++ // [
	if s.space() == ']' {
		s.at++
		return nil
	}
	for {
		if err := s.value(depth + 1); err != nil {
			return err
		}
		switch s.space() {
		case ',':
			s.at++
		case ']':
			s.at++
			return nil
		default:
			return s.unexpected("a comma or a bracket")
		}
	}
}

func (s *scanner) value(depth int) error {
	switch c := s.space(); {
	case c == '{':
		return s.object(depth)
	case c == '[':
		return s.array(depth)
	case c == '"':
		return s.text()
	case c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z':
		return s.word()
	}
	return s.unexpected("a value")
}

// text scans a string.
func (s *scanner) text() error {
	for s.at++; s.at < len(s.b); s.at++ {
		switch c := s.b[s.at]; {
		case c == '"':
			s.at++
			return nil
		case c == '\\':
			s.at++
		case c < ' ':
			return fmt.Errorf("a string has %q in it, unescaped", c)
		}
	}
	return errUnfinished
}

// word scans a number, true, false or null. Which of them it is, and whether
// it is one, the decoder tells.
func (s *scanner) word() error {
	for s.at < len(s.b) {
		switch c := s.b[s.at]; {
		case c == '-' || c == '+' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || c == 'E':
			s.at++
		default:
			return nil
		}
	}
	return nil
}

// space skips white space and returns the byte behind it, 0 at the end.
func (s *scanner) space() byte {
	for s.at < len(s.b) {
		switch c := s.b[s.at]; c {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) unexpected(want string) error {
	if s.at >= len(s.b) {
		return errUnfinished
	}
	end := min(len(s.b), s.at+20)
	return fmt.Errorf("%s is expected before %q", want, s.b[s.at:end])
}
