package dispatch

import (
	"encoding/json"

	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// Stage is one of the three steps that every TASK goes through.
type Stage string

// The stages, in order.
const (
	Builder   Stage = "builder"
	Verifier  Stage = "verifier"
	Committer Stage = "committer"
)

// Status is the verdict of a stage.
type Status string

// The two verdicts.
const (
	Pass Status = "PASS"
	Fail Status = "FAIL"
)

// Dispatch is the message that starts a stage: everything it is told.
type Dispatch struct {
	To       Stage
	Work     string // the plan's name, such as "WORK-01"
	Task     tasks.ID
	Attempt  int
	Spec     Spec
	Handoffs []Sent // in the order in which they are written
	Retry    *Retry // nil on a first attempt
}

// Spec is the `<task-spec>` of a dispatch.
type Spec struct {
	File        string // path of the TASK file, as the user would type it
	Title       string
	Action      string // implement, verify, commit
	Description string // the TASK's Markdown
}

// Sent is one handoff on its way: whose it is and how much of it is sent.
// To a builder the handoffs of ancestors travel inside `<previous-results>`
// (Task is set); to the other stages they stand alone (Task is empty).
type Sent struct {
	From     string   // builder, verifier, prev-task, prev-prev-task, ancestor
	Task     tasks.ID // the ancestor; "" for a stage of the same TASK
	Distance int      // 0 for a stage of the same TASK
	Level    window.Level
	Handoff  window.Handoff // already trimmed to Level
}

// Retry is what a builder is told of the failure it has to mend.
type Retry struct {
	Attempt  int    // the attempt that now begins
	Of       int    // how many there may be
	Stage    string // the stage that failed: builder, verifier, committer, landing, approval
	Reason   string
	Failures []Failure
	Handoff  *window.Handoff // the verifier's, FULL, after a verifier's FAIL
	Progress *Progress       // the existing progress.md, after a gate's FAIL
	Conflict *Conflict       // after a landing conflict
}

// Progress is an existing progress.md, quoted.
type Progress struct {
	File string
	Text string
}

// Conflict says with whom the last candidate collided, and where.
type Conflict struct {
	With        string   // a TASK id, or a short commit hash
	Files       []string // paths that both changed
	EarlierDiff string   // file holding the candidate's own diff
}

// Result is a stage's answer: the `<task-result>` element.
// Unknown elements are not kept here; the step's file holds them verbatim.
type Result struct {
	Work         string          `json:"work,omitempty"`
	Task         tasks.ID        `json:"task,omitempty"`
	Agent        Stage           `json:"agent,omitempty"`
	Status       Status          `json:"status"`
	Summary      string          `json:"summary,omitempty"`
	FilesChanged []FileChange    `json:"files_changed,omitempty"`
	SelfCheck    []Check         `json:"self_check,omitempty"`
	Verification []Check         `json:"verification,omitempty"`
	Failures     []Failure       `json:"failures,omitempty"`
	Notes        string          `json:"notes,omitempty"`
	Handoff      *window.Handoff `json:"handoff,omitempty"`
	Commit       *Commit         `json:"commit,omitempty"`
	Envelope     json.RawMessage `json:"envelope,omitempty"` // the typed JSON reply that it was made from, if it was one
	Warnings     []string        `json:"warnings,omitempty"` // what reading it tolerated
}

// FileChange is one `<file>` of `<files-changed>`: a claim, checked later.
type FileChange struct {
	Action string `json:"action"` // created, modified, deleted
	Path   string `json:"path"`
	Note   string `json:"note,omitempty"`
}

// Check is one `<check>` of `<self-check>` or `<verification>`.
type Check struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Count  string `json:"count,omitempty"`
	Text   string `json:"text,omitempty"`
}

// Failure is one `<failure>` of `<failure-details>`.
type Failure struct {
	Check string   `json:"check,omitempty"`
	Error string   `json:"error,omitempty"`
	Files []string `json:"files,omitempty"`
	Fix   string   `json:"fix,omitempty"` // the suggested fix
}

// Commit is the `<commit>` element. A builder may give Message and Type; the
// committer's own result carries all three.
type Commit struct {
	Hash    string `json:"hash,omitempty"`
	Message string `json:"message,omitempty"`
	Type    string `json:"type,omitempty"`
}

// Expect is who a result must come from, and the size limits it is read with.
type Expect struct {
	Work  string
	Task  tasks.ID
	Agent Stage
}
