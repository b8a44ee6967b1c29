package dispatch

import "fmt"

// field finds the end of a text element that begins with t. Inside it only
// tags of its own name count, so that raw `<` and quoted elements stay text:
// the end tag that balances them ends it. If none does (the text mentions its
// own name, `the <what> field`), the first end tag ends it, unless another
// verdict begins before: then it was cut off.
func (s *scanner) field(t tag) (textEnd, end int, err error) {
	depth := 1
	firstText, firstEnd, crossed := 0, 0, false
	for pos := t.end; ; {
		at, ok := s.find(pos, "<")
		if !ok {
			break
		}
		pos = at + 1
		if after, ok := s.cdata(at); ok {
			pos = after
			continue
		}
		if after, ok := closes(s.text, at, t.name); ok {
			if firstEnd == 0 && !crossed {
				firstText, firstEnd = at, after
			}
			if depth--; depth == 0 {
				return at, after, nil
			}
			pos = after
			continue
		}
		inner, ok := lexTag(s.text, at)
		switch {
		case !ok || inner.empty:
		case inner.name == t.name:
			depth = s.deeper(depth, t)
		case inner.name == resultTag && inner.has("status"):
			crossed = true
		}
	}
	if firstEnd == 0 {
		return 0, 0, fmt.Errorf("<%s> %w", t.name, errCutOff)
	}
	return firstText, firstEnd, nil
}

// unknown returns where reading goes on after the start tag of an element that
// is not in the schema: after its end tag, or, if it has none inside this
// task-result, after the tag itself.
func (s *scanner) unknown(t tag) int {
	depth, results := 1, 0
	for pos := t.end; ; {
		at, ok := s.find(pos, "<")
		if !ok {
			return t.end
		}
		pos = at + 1
		if after, ok := s.opaque(at); ok {
			pos = after
			continue
		}
		if after, ok := closes(s.text, at, t.name); ok {
			if depth--; depth == 0 {
				return after
			}
			continue
		}
		if _, ok := closes(s.text, at, resultTag); ok {
			if results--; results < 0 {
				return t.end
			}
			continue
		}
		inner, ok := lexTag(s.text, at)
		switch {
		case !ok || inner.empty:
		case inner.name == t.name:
			depth = s.deeper(depth, t)
		case inner.name == resultTag:
			results++
		}
	}
}

// deeper counts one more element of t's name inside t.
func (s *scanner) deeper(depth int, t tag) int {
	if depth++; depth > maxDepth {
		s.reject(fmt.Errorf("<%s> is nested more than %d deep", t.name, maxDepth))
	}
	return depth
}
