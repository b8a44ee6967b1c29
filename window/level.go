package window

import "fmt"

// At is the level at which a handoff is sent over a distance in the default
// window: FULL at 1, SUMMARY at 2, DROP beyond. Distance counts dependency
// edges on the shortest path; anything below 1 is no ancestor, and is dropped.
func At(distance int) Level { return Borders{}.At(distance) }

// At is the level at which a handoff is sent over a distance: FULL up to
// b.Full, SUMMARY up to b.Summary, DROP beyond. A Summary that is not larger
// than Full leaves no distance for SUMMARY.
func (b Borders) At(distance int) Level {
	b = b.orDefault()
	switch {
	case distance < 1:
		return Drop
	case distance <= b.Full:
		return Full
	case distance <= b.Summary:
		return Summary
	}
	return Drop
}

// Reach is the largest distance at which anything is sent at all: how far up
// the dependency graph a walk for ancestors has to go.
func (b Borders) Reach() int {
	b = b.orDefault()
	return max(b.Full, b.Summary, 0)
}

func (b Borders) orDefault() Borders {
	if b == (Borders{}) {
		return Borders{Full: 1, Summary: 2}
	}
	return b
}

// String prints the level as messages spell it: FULL, SUMMARY, DROP.
func (l Level) String() string {
	switch l {
	case Full:
		return "FULL"
	case Summary:
		return "SUMMARY"
	case Drop:
		return "DROP"
	}
	return fmt.Sprintf("Level(%d)", int(l))
}

// MarshalText writes FULL, SUMMARY or DROP; any other level is an error.
func (l Level) MarshalText() ([]byte, error) {
	if l < Drop || l > Full {
		return nil, fmt.Errorf("%v is not a level: use Full, Summary or Drop", l)
	}
	return []byte(l.String()), nil
}

// UnmarshalText reads exactly FULL, SUMMARY or DROP.
func (l *Level) UnmarshalText(text []byte) error {
	for _, known := range []Level{Drop, Summary, Full} {
		if string(text) == known.String() {
			*l = known
			return nil
		}
	}
	return fmt.Errorf("%q is not a level: write FULL, SUMMARY or DROP", text)
}
