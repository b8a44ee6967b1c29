package envelope

import (
	"bytes"
	"errors"
	"fmt"
)

// errNoObject is a reply without anything that begins like a JSON object.
var errNoObject = errors.New("there is no JSON object in the reply")

// Find reads the envelope of type t out of a reply: bare, in a fenced block, or
// with prose around it. Of all JSON objects that are not part of another one
// the last that is valid counts, so that an earlier draft does no harm. It
// returns the envelope and its JSON as it was written, or what is wrong with
// the last candidate.
func Find(t Type, reply []byte) (Envelope, []byte, error) {
	var found Envelope
	var raw []byte
	last := errNoObject
	broken := 0 // where the text ends that is part of an object that has no end
	for at := 0; ; {
		i := bytes.IndexByte(reply[at:], '{')
		if i < 0 {
			break
		}
		start := at + i
		s := scanner{b: reply, at: start}
		if err := s.object(0); err != nil {
			if begun(reply[start:]) && start >= broken {
				last, broken = fmt.Errorf("the JSON is not well formed: %w", err), s.at
			}
			at = start + 1
			continue
		}
		at = s.at
		env, err := Parse(t, reply[start:at])
		switch {
		case err == nil:
			found, raw = env, reply[start:at]
		case start >= broken:
			last = err
		}
	}
	if found == nil {
		return nil, nil, last
	}
	return found, raw, nil
}

// begun tells a JSON object that went wrong from a brace in prose.
func begun(b []byte) bool {
	rest := bytes.TrimLeft(b[1:min(len(b), 1000)], " \t\r\n")
	return len(rest) > 0 && rest[0] == '"'
}
