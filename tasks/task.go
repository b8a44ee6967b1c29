package tasks

import "time"

// ID is the canonical name of a TASK: "TASK-" and its number in at least two
// digits, such as "TASK-03". Ids order by number, not by text.
type ID string

// Task is one TASK file, read and checked. It is never changed after loading.
type Task struct {
	ID       ID
	Title    string
	Deps     []ID   // direct dependencies, ascending by number, no repeats
	File     string // the file's name inside the tasks folder
	Spec     string // the file's Markdown without front matter, LF line ends
	SpecHash string // "sha256:…" over the normalised body and the dependencies
	Build    []Script
	Verify   []Script
	Files    []FileClaim
	Options
}

// Script is one fenced block of a `## Build` or `## Verify` section.
type Script struct {
	Line int    // line of the opening fence in the file, from 1
	Lang string // "bash", "sh" or ""
	Text string
}

// FileClaim is one row of the `## Files` table: what the TASK means to touch.
type FileClaim struct {
	Path   string
	Action string // CREATE, MODIFY, DELETE or as written
	Note   string
}

// Options are the front matter of a TASK file. Zero means "not said".
type Options struct {
	Builder    string        // executor for the builder stage
	Verifier   string        // executor for the verifier stage
	Timeout    time.Duration // wall-clock limit of each stage
	Locks      []string      // TASKs sharing a lock never run at the same time
	Approve    bool          // waits for a person before the commit
	CommitType string        // feat, fix, chore, docs, test, refactor
}

// Severity tells a problem that stops a run from one that does not.
type Severity string

// The two severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Problem is one thing wrong with a tasks folder, at its place.
type Problem struct {
	File     string   `json:"file"`           // name relative to the folder; "" for the folder itself
	Line     int      `json:"line,omitempty"` // from 1; 0 when the whole file is meant
	Col      int      `json:"col,omitempty"`  // from 1; 0 when the whole line is meant
	Severity Severity `json:"severity"`
	Message  string   `json:"message"`
}
