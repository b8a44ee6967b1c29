package stages

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
	// File returns the content of a file of a tree, or the target of a symlink;
	// nil if there is neither at that path.
	File(tree Hash, path string) ([]byte, error)
	// Candidate writes the commit object described by c, keeps it at
	// refs/pipeline/<session>/<TASK>, and returns its hash. The same input
	// gives the same hash.
	Candidate(ctx context.Context, c Candidate) (Hash, error)
}

// Hooks let a repository have its say about a commit before it is made.
type Hooks interface {
	// CommitHooks runs the repository's hooks over a candidate that is not
	// written yet, and returns the message as they left it. A *Fault fails the
	// attempt.
	CommitHooks(ctx context.Context, c Candidate) (message string, err error)
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
	At           time.Time // when the verifier passed it, or when it was put on another base
	Undeclared   Undeclared
	Objects      Objects
	Hooks        Hooks // nil for none
	Mask         *Mask // of secrets, which no commit may hold; nil for none
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

// Committed is what the committer made, or, after a FAIL, found.
type Committed struct {
	Commit   Hash
	ResultMD []byte         // the text of result.md
	Handoff  window.Handoff // the merged one, for the TASKs that depend on this one
	Progress string         // the text of progress.md, "" if there was none; set on PASS and on FAIL
}

// Commit is the committer. It decides from in alone, so that the same input
// gives the same bytes and the same commit.
//
// The gate comes first: progress.md exists, says COMPLETED, and lists paths
// that the snapshot really changed. If it refuses, the result is a FAIL whose
// Summary is the exact reason, and no object is written. Else result.md and the
// candidate commit are written, and the result is a PASS that carries the
// commit's hash, message and type. Neither moves a branch. Hooks, if there are
// any, come between: their refusal is a FAIL too.
//
// An error means that the repository could not be read or written: nothing was
// decided, and the step can be done again.
func Commit(ctx context.Context, in CommitInput) (Committed, dispatch.Result, error) {
	made, result, err := commit(ctx, in)
	if err != nil {
		return Committed{}, dispatch.Result{}, fmt.Errorf("%s: %w", in.Step, err)
	}
	result.Work, result.Task, result.Agent = in.Work, in.Task.ID, dispatch.Committer
	return made, result, nil
}

func commit(ctx context.Context, in CommitInput) (Committed, dispatch.Result, error) {
	text, report, err := readProgress(in)
	if err != nil {
		return Committed{}, dispatch.Result{}, err
	}
	made := Committed{Progress: text}
	undeclared, refusal := judge(in, report)
	if refusal == nil {
		refusal, err = refuseSecrets(in, text)
	}
	if err != nil {
		return Committed{}, dispatch.Result{}, err
	}
	if refusal != nil {
		return made, *refusal, nil
	}

	made.Handoff = window.Merge(handoffOf(in.Builder), handoffOf(in.Verifier))
	made.ResultMD = in.Mask.Bytes(resultFile(in, undeclared).Render())
	kind := commitType(in)
	candidate := Candidate{
		Task:    in.Task.ID,
		Parent:  in.Base,
		Tree:    in.Snapshot.Tree,
		Message: commitMessage(in, kind),
		Time:    in.At,
	}
	if in.ResultPath != "" {
		candidate.Files = map[string][]byte{in.ResultPath: made.ResultMD}
	} else {
		candidate.Outside = map[string][]byte{in.Task.ID.ResultFile(): made.ResultMD}
	}
	if in.Hooks != nil {
		candidate.Message, err = in.Hooks.CommitHooks(ctx, candidate)
		if fault := (*Fault)(nil); errors.As(err, &fault) {
			return Committed{Progress: text}, Failed(fault.Reason, fault.Details...).Result, nil
		}
		if err != nil {
			return Committed{}, dispatch.Result{}, err
		}
	}
	candidate.Message = in.Mask.Text(candidate.Message)
	made.Commit, err = in.Objects.Candidate(ctx, candidate)
	if err != nil {
		return Committed{}, dispatch.Result{}, err
	}
	subject, _, _ := strings.Cut(candidate.Message, "\n")
	return made, dispatch.Result{
		Status:   dispatch.Pass,
		Summary:  subject,
		Handoff:  &made.Handoff,
		Commit:   &dispatch.Commit{Hash: string(made.Commit), Message: candidate.Message, Type: kind},
		Warnings: unlisted(undeclared),
	}, nil
}

// handoffOf is the handoff of a result, the zero one if it has none.
func handoffOf(r dispatch.Result) window.Handoff {
	if r.Handoff == nil {
		return window.Handoff{}
	}
	return *r.Handoff
}
