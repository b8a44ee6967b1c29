package stages

import (
	"context"
	"fmt"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/tasks"
)

// Workspaces gives each TASK a tree of its own. At most one goroutine works on
// one TASK at a time; different TASKs are served at once.
type Workspaces interface {
	// Tip is the commit that the target branch points at now.
	Tip(ctx context.Context) (Hash, error)
	// Open brings a TASK's workspace into the state that the lease asks for.
	Open(ctx context.Context, l Lease) (Workspace, error)
	// Snapshot scans a TASK's workspace once and records it as a tree object.
	// If declare is not nil and the builder left no progress.md, what declare
	// returns for the changed paths is written there first.
	// A *Fault means that the attempt has failed (the agent committed, the
	// workspace is gone); any other error stops the run.
	Snapshot(ctx context.Context, task tasks.ID, declare func([]Change) []byte) (Snapshot, error)
	// Intact is a *Fault if the workspace that a TASK was given is gone, or is
	// not the one that was made.
	Intact(task tasks.ID) error
	// Facts are those of a TASK's workspace.
	Facts(task tasks.ID) Facts
	// Where names a TASK's paths without touching the disk.
	Where(task tasks.ID) Workspace
	// Close ends the use of a TASK's workspace; keep leaves it for people to look at.
	Close(ctx context.Context, task tasks.ID, keep bool) error
}

// Facts tells what is true of a workspace, whatever its stage says of it. It
// changes nothing. Nothing is looked at before it is asked for.
type Facts interface {
	// Head is the commit that the workspace's HEAD points at.
	Head(ctx context.Context) (Hash, error)
	// Differ picks those of paths (slash-separated, relative to the workspace)
	// whose content or mode is another than in a tree or commit: created,
	// modified or deleted, untracked and ignored ones too. It looks at no other path.
	Differ(ctx context.Context, from Hash, paths []string) ([]string, error)
	// Altered scans the workspace for all paths that differ from a tree.
	Altered(ctx context.Context, from Hash) ([]string, error)
	// Diff is what one tree or commit changes against another one, as a patch
	// of at most limit bytes and in numbers.
	Diff(ctx context.Context, from, to Hash, limit int) (Diff, error)
}

// Diff is the difference of two trees.
type Diff struct {
	Files                 []string // paths, sorted
	Insertions, Deletions int      // lines
	Stat                  string   // as `git diff --stat` prints it
	Patch                 []byte
	Cut                   bool // Patch is not whole
}

// Mode is the state in which a workspace is opened.
type Mode int

// The modes.
const (
	// Fresh stands on Base exactly, without the TASK's old progress.md and result.md.
	Fresh Mode = iota
	// Keep leaves what the last attempt left, with HEAD checked; it is an
	// error (*Fault) if the workspace is gone or is not the one that was made.
	Keep
	// Exact stands on Base with the files of Tree: a snapshot, or a merged tree.
	Exact
	// Carry stands on Base with what FromBase..From changed, for all paths
	// that did not also change between FromBase and Base.
	Carry
)

// Lease asks for a TASK's workspace.
type Lease struct {
	Task     tasks.ID
	Base     Hash // commit
	Mode     Mode
	Tree     Hash // Exact
	FromBase Hash // Carry: a commit
	From     Hash // Carry: a commit or tree; "" means the workspace as it is now
}

// Workspace is where a TASK is built. Paths are absolute; the two repository
// paths are slash-separated and "" when the tasks folder is not committed.
type Workspace struct {
	Dir          string
	Progress     string   // the file the builder writes
	ProgressPath string   // its path in the repository
	ResultPath   string   // result.md's path in the repository
	EarlierDiff  string   // Carry: file with the whole diff FromBase..From
	Undone       []string // Exact, Carry: paths that differed from Tree or From and were put back
}

// Lander puts candidates on the target branch, or on one another, one at a time.
type Lander interface {
	Land(ctx context.Context, l Landing) (LandingResult, error)
}

// Landing asks for one candidate to be put on the target branch, or, with Onto,
// on the candidate that will land before it. It lands as it is only if the
// branch still stands on Base; else Change is merged onto what is there.
type Landing struct {
	Task       tasks.ID
	Candidate  Hash // commit, kept at refs/pipeline/<session>/<TASK>
	Base       Hash // its parent
	Unverified bool // Candidate must not land: it is not verified, or is not there
	Change     Hash // the first candidate of the attempt: what the TASK itself changes; "" for Candidate
	ChangeBase Hash // its parent, a commit of the branch; "" for Base
	Onto       Hash // candidate of Below, on which this one will stand; "" for the branch itself
	Below      tasks.ID
}

// LandingResult tells how a landing ended. Exactly one of the five outcomes
// holds; the fields named there are set.
type LandingResult struct {
	Outcome string   // landed (Commit, Tree) | moved (Onto, Tree) | conflict (Onto, With, Paths) | unfit (the same, with Landing.Onto) | blocked (Paths)
	Commit  Hash     // the commit now on the branch
	Tree    Hash     // landed: its tree; moved: the merged tree to verify
	Onto    Hash     // moved, conflict, unfit: the commit that the candidate has to go on
	Changes []Change // moved: what Tree changes against Onto, without progress.md and result.md
	With    string   // conflict, unfit: a TASK id, or a short commit hash
	Paths   []string // conflict, unfit; moved: merged by git; blocked; landed, but the checkout could not follow: in the way
}

// Fault is an error that fails an attempt instead of stopping the run.
type Fault struct {
	Reason  string
	Details []dispatch.Failure // what the next attempt is told beside the reason
	Lost    bool               // the workspace is gone, or is not the one that was made: the next attempt gets a new one
}

func (f *Fault) Error() string { return f.Reason }

// Faultf makes a Fault.
func Faultf(format string, a ...any) *Fault { return &Fault{Reason: fmt.Sprintf(format, a...)} }
