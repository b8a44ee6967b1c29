package dispatch

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/beevik/etree"
)

const (
	resultTag = "task-result"
	maxResult = 4 << 20 // bytes of one task-result element
	maxDepth  = 64      // levels of nested markup
)

// The ways in which reading an element can end early.
var (
	errCutOff  = errors.New("is never closed")
	errRestart = errors.New("is interrupted by another task-result")
	errTangled = errors.New("the output is too tangled to be read in bounded time")
)

// scanner finds task-result elements in text that is mostly something else.
// It reads forward only, but may have to look far ahead to learn that a tag is
// never closed; budget bounds the bytes looked at in all.
type scanner struct {
	text   []byte
	budget int
	start  int   // of the element being read
	flaw   error // first reason why that element is invalid although complete
}

func newScanner(text []byte) *scanner {
	return &scanner{text: text, budget: 4*len(text) + 1<<20}
}

// last returns the last complete task-result of the text, with the flaw that
// makes it invalid, if any; or the error that leaves the text without verdict.
func (s *scanner) last() (found *etree.Element, flaw error, err error) {
	// open counts the elements that had a status and were interrupted by another
	// task-result. Should their end tag still come, that other one was nested.
	open := 0
	for pos := 0; ; {
		at, ok := s.find(pos, resultTag)
		switch {
		case s.budget < 0:
			return nil, nil, errTangled
		case !ok && open > 0 && found == nil:
			return nil, nil, fmt.Errorf("<%s> %w", resultTag, errCutOff)
		case !ok:
			return found, flaw, nil
		}
		pos = at + len(resultTag)
		if at >= 2 && s.text[at-1] == '/' && s.text[at-2] == '<' && open > 0 {
			open--
			flaw = errors.New("it holds another task-result outside any text")
			continue
		}
		if at == 0 || s.text[at-1] != '<' {
			continue
		}
		t, ok := lexTag(s.text, at-1)
		if !ok || t.name != resultTag {
			continue
		}
		element, end, elementErr := s.element(t, at-1)
		switch {
		case elementErr == nil:
			found, flaw, pos = element, s.flaw, end
		case !t.has("status") && errors.Is(elementErr, errRestart):
			pos = end
		case !t.has("status"):
			// Only its name was mentioned: read on right after it.
		case errors.Is(elementErr, errRestart):
			open, pos, found = open+1, end, nil
		case s.budget < 0:
			return nil, nil, errTangled
		default:
			return nil, nil, elementErr
		}
	}
}

// element reads the task-result that starts with t.
func (s *scanner) element(t tag, at int) (e *etree.Element, end int, err error) {
	s.start, s.flaw = at, nil
	e = s.open(t)
	switch {
	case t.cutOff:
		return nil, 0, fmt.Errorf("<%s> %w", resultTag, errCutOff)
	case t.empty:
		end = t.end
	default:
		end, err = s.children(e, resultShape(), t.end)
	}
	if err != nil {
		return nil, end, err
	}
	if end-at > maxResult {
		s.reject(fmt.Errorf("it is %d bytes long, more than %d", end-at, maxResult))
	}
	return e, end, nil
}

func (s *scanner) reject(flaw error) {
	if s.flaw == nil {
		s.flaw = flaw
	}
}

// open makes the element that a start tag begins.
func (s *scanner) open(t tag) *etree.Element {
	if t.problem != "" {
		s.reject(fmt.Errorf("<%s>: %s", t.name, t.problem))
	}
	e := etree.NewElement(t.name)
	e.Attr = t.attrs
	return e
}

// children reads what stands inside e up to its end tag, and returns the
// position after that. Stray text between the children is passed over.
func (s *scanner) children(e *etree.Element, known shape, pos int) (int, error) {
	for {
		at, ok := s.find(pos, "<")
		if !ok {
			return 0, fmt.Errorf("<%s> %w", e.Tag, errCutOff)
		}
		if end, ok := s.opaque(at); ok {
			pos = end
			continue
		}
		if end, ok := closes(s.text, at, e.Tag); ok {
			return end, nil
		}
		if _, ok := closes(s.text, at, resultTag); ok {
			s.reject(fmt.Errorf("<%s> %w", e.Tag, errCutOff))
			return at, nil
		}
		t, ok := lexTag(s.text, at)
		if !ok {
			pos = at + 1
			continue
		}
		inside, isKnown := known[t.name]
		var err error
		switch {
		case t.name == resultTag && t.has("status"):
			return at, errRestart
		case t.name == resultTag:
			pos = t.end // a mention
		case isKnown:
			pos, err = s.child(e, t, inside)
		case t.empty:
			pos = t.end
		default:
			pos = s.unknown(t)
		}
		if err != nil {
			return pos, err
		}
	}
}

// child reads one known element and hangs it under its parent.
func (s *scanner) child(parent *etree.Element, t tag, inside shape) (end int, err error) {
	e := s.open(t)
	switch {
	case t.cutOff:
		return 0, fmt.Errorf("<%s> %w", t.name, errCutOff)
	case t.empty:
		end = t.end
	case inside != nil:
		end, err = s.children(e, inside, t.end)
	default:
		var textEnd int
		textEnd, end, err = s.field(t)
		if err == nil && end-s.start <= maxResult {
			e.SetText(plainText(s.text[t.end:textEnd]))
		}
	}
	// What lies beyond the limit is measured, not kept.
	if err == nil && end-s.start <= maxResult {
		parent.AddChild(e)
	}
	return end, err
}

// find returns the position of the next needle at or after pos.
func (s *scanner) find(pos int, needle string) (int, bool) {
	i := bytes.Index(s.text[pos:], []byte(needle))
	if i < 0 {
		s.budget -= len(s.text) - pos
		return 0, false
	}
	s.budget -= i + len(needle)
	return pos + i, s.budget >= 0
}

// opaque returns the end of the comment or CDATA section at a position. One
// that is never closed, and one around a verdict, is not taken for it.
func (s *scanner) opaque(at int) (int, bool) {
	closing := ""
	switch rest := s.text[at:]; {
	case bytes.HasPrefix(rest, []byte("<!--")):
		closing = "-->"
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		closing = "]]>"
	default:
		return 0, false
	}
	end, ok := s.find(at, closing)
	if !ok || bytes.Contains(s.text[at:end], []byte(resultTag)) {
		return 0, false
	}
	return end + len(closing), true
}
