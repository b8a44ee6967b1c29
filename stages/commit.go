package stages

import (
	"context"
	"time"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// Objects is what the committer needs of a repository: it reads and writes
// objects and moves no branch.
type Objects interface {
	// Blob returns the content of a blob, at most limit bytes of it.
	Blob(h Hash, limit int64) ([]byte, error)
	// Candidate writes the commit object described by c, keeps it at
	// refs/pipeline/<session>/<TASK>, and returns its hash. The same input
	// gives the same hash.
	Candidate(ctx context.Context, c Candidate) (Hash, error)
}

// Candidate describes the commit of one TASK before it lands.
type Candidate struct {
	Task    tasks.ID
	Parent  Hash              // the base
	Tree    Hash              // the verified snapshot
	Files   map[string][]byte // repository path → content, put over Tree: result.md
	Outside map[string][]byte // file name → content, for a tasks folder that is not committed: copied there at landing
	Message string
	Time    time.Time // author and committer time
}

// CommitInput is everything the committer decides from. It reads nothing else.
type CommitInput struct {
	Step         Step
	Task         tasks.Task
	Work, Title  string // the plan's name and title
	Session      string
	Base         Hash
	Snapshot     Snapshot
	ProgressPath string // repository path of progress.md; "" when it is not committed
	ResultPath   string // repository path of result.md; "" when it is not committed
	Builder      dispatch.Result
	Verifier     dispatch.Result
	At           time.Time // time of the verifier's stage_finished
	Undeclared   Undeclared
	Objects      Objects
}

// Snapshot is a workspace as its builder left it.
type Snapshot struct {
	Tree     Hash     `json:"tree"`
	Changes  []Change `json:"changes,omitempty"`  // against the base, sorted by path, without progress.md and result.md
	Progress Hash     `json:"progress,omitempty"` // blob of progress.md; "" if there was none
}

// Undeclared says what happens to a changed path that progress.md does not list.
type Undeclared string

// The two policies for undeclared paths.
const (
	Include    Undeclared = "include" // commit it and say so in result.md (the default)
	FailOnThem Undeclared = "fail"
)

// Committed is what a passing committer made.
type Committed struct {
	Commit   Hash
	ResultMD []byte // the text of result.md, for folders that are not committed
	Handoff  window.Handoff
}
