package scheduler

import (
	"time"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// TaskState is where a TASK stands, for those who show it.
type TaskState struct {
	Task      tasks.ID
	State     State
	Initial   Initial
	Why       string // why it is stale, up to date, left out or skipped
	Stage     dispatch.Stage
	Attempt   int
	Round     int
	Of        int  // the last attempt it may have
	UnderWay  bool // a step was started and not finished
	Unmet     int  // dependencies that are missing
	Failures  int
	Conflicts int
	Reason    string // of the last failure
	FailedAt  string // the stage of the last failure
	Wait      WaitFor
	Until     time.Time
	WaitPaths []string // blocked: the paths in the way
	Base      stages.Hash
	Snapshot  *stages.Snapshot
	Candidate stages.Hash
	Commit    stages.Hash
}

// State tells where a TASK stands; the zero value if it is not in the graph.
func (p *Plan) State(id tasks.ID) TaskState {
	i, ok := p.graph.Index(id)
	if !ok {
		return TaskState{Task: id}
	}
	n := &p.nodes[i]
	s := TaskState{
		Task: id, State: n.state, Initial: n.initial, Why: n.why, Stage: n.stage, Attempt: n.attempt, Round: n.round,
		Of: p.limit(n), UnderWay: n.running, Unmet: n.unmet, Failures: n.failures, Conflicts: n.clashes,
		Base: n.base, Snapshot: n.snapshot, Candidate: n.candidate, Commit: n.commit,
	}
	if n.last != nil {
		s.Reason, s.FailedAt = n.last.reason, n.last.stage
	}
	if n.wait != nil && n.state == Waiting {
		s.Wait, s.Until, s.WaitPaths = n.wait.what, n.wait.until, n.wait.paths
	}
	return s
}

// AtWork are the TASKs that hold a slot, in the graph's order.
func (p *Plan) AtWork() []tasks.ID {
	var out []tasks.ID
	for i := 0; i < len(p.nodes) && len(out) < p.held; i++ {
		if p.nodes[i].held {
			out = append(out, p.nodes[i].task.ID)
		}
	}
	return out
}

// Graph is the graph that the plan was made for.
func (p *Plan) Graph() *tasks.Graph { return p.graph }

// Options are those of the last run_started or run_joined.
func (p *Plan) Options() Options { return p.opts }

// Seq is the number of the last event applied.
func (p *Plan) Seq() int64 { return p.seq }

// Run identifies what the plan belongs to; empty before run_started.
func (p *Plan) Run() RunInfo {
	return RunInfo{Session: p.session, Work: p.work, Title: p.title, Folder: p.folder, Branch: p.branch}
}

// RunInfo identifies a run.
type RunInfo struct{ Session, Work, Title, Folder, Branch string }
