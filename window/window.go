// Package window decides how much of a handoff travels how far.
//
// A handoff is the four fields that one TASK leaves for those that follow it.
// Its level falls with the distance between the two TASKs in the dependency
// graph: FULL at distance 1, SUMMARY at distance 2, DROP beyond.
package window

// Handoff is what one stage, or one TASK, leaves for the next.
// An empty field means that nothing was said.
type Handoff struct {
	What       string `json:"what"`                 // what changed or was verified, 2-5 lines
	Why        string `json:"why,omitempty"`        // why it was decided so, 2-4 lines
	Caution    string `json:"caution,omitempty"`    // caveats, 1-3 lines
	Incomplete string `json:"incomplete,omitempty"` // what is left, 1-2 lines, "None" if nothing
}

// Level is the detail at which a handoff is sent.
type Level int

// The three levels, from nothing to everything.
const (
	Drop    Level = iota // the handoff is left out
	Summary              // what only, its first three non-blank lines
	Full                 // all four fields
)

// Borders are the largest distances at which each level still applies.
// The zero value means the default window: FULL at 1, SUMMARY at 2.
type Borders struct {
	Full    int `json:"full" yaml:"full"`
	Summary int `json:"summary" yaml:"summary"`
}
