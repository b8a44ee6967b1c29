package config

import "strings"

// Problem is one thing wrong with a configuration, at its place.
type Problem struct {
	At      Origin
	Key     string // "" when it is about a whole source
	Message string
}

func (p *Problem) Error() string {
	if p.Key == "" {
		return p.At.String() + ": " + p.Message
	}
	return p.At.String() + ": " + p.Key + ": " + p.Message
}

// Error is everything that is wrong with a configuration. Nothing of it can be
// used.
type Error struct{ Problems []Problem }

// Error prints one problem a line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i := range e.Problems {
		lines[i] = e.Problems[i].Error()
	}
	return strings.Join(lines, "\n")
}
