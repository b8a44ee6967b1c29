package envelope

import (
	"bytes"
	"errors"
	"fmt"
)

// errNoObject is a reply without anything that begins like a JSON object.
var errNoObject = errors.New("there is no JSON object in the reply")

// maxCandidates bounds how many objects of one reply are read, from the last
// backwards.
const maxCandidates = 1000

// Find reads the envelope of type t out of a reply: bare, in a fenced block, or
// with prose around it. Of all JSON objects that are not part of another one
// the last that is valid counts, so that an earlier draft does no harm. It
// returns the envelope and its JSON as it was written, or what is wrong with
// the last candidate.
func Find(t Type, reply []byte) (Envelope, []byte, error) {
	all := candidates(reply)
	wrong := errNoObject
	for i := len(all) - 1; i >= 0; i-- {
		env, err := all[i].parse(t)
		if err == nil {
			return env, all[i].text, nil
		}
		if i == len(all)-1 {
			wrong = err
		}
	}
	return nil, nil, wrong
}

// candidate is a part of a reply that may be its envelope.
type candidate struct {
	text []byte
	err  error // why it cannot be; nil if it is a JSON object
}

func (c candidate) parse(t Type) (Envelope, error) {
	if c.err != nil {
		return nil, c.err
	}
	return Parse(t, c.text)
}

// candidates are the last of the objects in a reply, in the order in which
// they stand there.
//
// An object that goes wrong is passed over up to the brace that closes it, and
// if none does, up to where it went wrong. What lies in it is no reply: an
// agent that quotes the envelope it was given does not mean it as its own.
func candidates(reply []byte) []candidate {
	var all []candidate
	closing := closer{b: reply, left: 1<<20 + 8*len(reply)}
	for at := 0; ; {
		i := bytes.IndexByte(reply[at:], '{')
		if i < 0 {
			return all[max(0, len(all)-maxCandidates):]
		}
		start := at + i
		c, end := candidateAt(reply, start)
		if c != nil {
			all = append(all, *c)
		}
		if at = end; c == nil || c.err != nil {
			at = max(at, closing.find(start))
		}
		if len(all) == 2*maxCandidates {
			all = append(all[:0], all[maxCandidates:]...)
		}
	}
}

// candidateAt is what begins with the brace at start, and where it ends or goes
// wrong; nil if it is a brace in prose.
func candidateAt(reply []byte, start int) (*candidate, int) {
	rest := bytes.TrimLeft(reply[start+1:], " \t\r\n")
	if len(rest) == 0 || rest[0] != '"' && rest[0] != '}' {
		return nil, start + 1
	}
	s := scanner{b: reply, at: start}
	if err := s.object(0); err != nil {
		return &candidate{err: fmt.Errorf("the JSON is not well formed: %w", err)}, min(s.at, len(reply))
	}
	return &candidate{text: reply[start:s.at]}, s.at
}

// closer finds the braces that close others in what is not JSON. It gives up
// after so many bytes that braces which nothing closes, however many, cost
// time that grows with the reply's length and not with its square.
type closer struct {
	b    []byte
	left int // bytes to be looked at yet
}

// find returns the end of the text in braces that begins at start, 0 if it has
// none. A line that begins or ends a fenced block is never part of it, nor one
// that begins with a brace: there the agent began anew.
func (c *closer) find(start int) int {
	depth, quoted := 0, false
	for i := start; i < len(c.b) && c.left > 0; i++ {
		c.left--
		switch c.b[i] {
		case '\n':
			if anew(c.b[i+1:]) {
				return 0
			}
		case '\\':
			if quoted {
				i++
			}
		case '"':
			quoted = !quoted
		case '{':
			if !quoted {
				depth++
			}
		case '}':
			if !quoted {
				depth--
			}
			if depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// anew reports whether a line begins or ends a fenced block, or begins an
// object.
func anew(line []byte) bool {
	marks := bytes.TrimLeft(line, " \t")
	return bytes.HasPrefix(line, []byte("{")) || bytes.HasPrefix(marks, []byte("```")) || bytes.HasPrefix(marks, []byte("~~~"))
}
