package scheduler

import (
	"fmt"
	"time"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// Plan is the state of a run, folded from its events. The zero value is not
// usable; New makes one. It is not safe for concurrent use: one goroutine owns it.
type Plan struct {
	graph *tasks.Graph
	opts  Options
	nodes []node // by position in the graph's order
	gone  map[tasks.ID]bool

	started                              bool
	session, work, title, folder, branch string

	order  ready // TASKs that could start or go on, given a slot
	locks  locks // who holds which lock, and who waits for it
	going  []int // hold a slot and have a step to do
	asking []int // must record a wait
	stack  []int // candidates in the order in which they will land, each on the one before
	waits  waitQueue

	held    int         // slots taken
	running int         // steps under way
	failed  int         // FAILED TASKs
	tickets int         // given out in the stack
	tip     stages.Hash // of the branch, as far as landings told
	open    int         // TASKs that still have something to do or to wait for
	stopped bool
	behind  []string

	seq      int64
	expected []Event // conclusions that the facts so far call for and no event has stated
}

// State is where a TASK stands.
type State string

// The states of a TASK.
const (
	Outside  State = ""           // not part of this run
	Pending  State = "pending"    // not begun
	Running  State = "running"    // begun: in a stage, between two, or about to land
	Waiting  State = "waiting"    // for approval, a rate limit, or a blocked landing
	IsLanded State = "landed"     // its commit is on the branch
	UpToDate State = "up_to_date" // it was done before this run
	IsFailed State = "failed"
	Skipped  State = "skipped"
)

// node is one TASK's part of the Plan.
type node struct {
	task      *tasks.Task
	initial   Initial
	why       string // why it is stale, done or left
	hash      string // SpecHash it was started with
	approve   bool
	doneAgain bool // it was done for this spec when it was asked to run again
	state     State
	unmet     int // dependencies that are not satisfied
	stage     dispatch.Stage
	attempt   int
	round     int
	running   bool // stage_started without its end, in this run
	continues bool // the step that was started last goes on where it was cut off
	cut       bool // that step was cut off, and is to go on
	held      bool // holds a slot
	begun     bool // some step of it was started
	lost      bool // the workspace is gone
	warm      bool // the workspace is as the last step of this run left it
	queued    int  // ticket in the ready queue, 0 if it is not there
	granted   int  // further rounds of attempts granted by retry
	failures  int
	failedIn  int // attempts that failed before the last retry was granted
	clashes   int // landing conflicts

	approved bool
	mode     stages.Mode
	from     stages.Hash // Carry: what to carry over
	fromBase stages.Hash
	byHand   bool

	base     stages.Hash
	opened   stages.Hash // commit that the workspace stands on
	snapshot *stages.Snapshot
	builder  *dispatch.Result
	verifier *dispatch.Result
	at       time.Time // date of the candidate
	stacked

	last    *failure
	wait    *waiting
	waited  time.Duration
	commit  stages.Hash
	handoff *window.Handoff // what other TASKs are sent
}

// failure is what the next builder is told.
type failure struct {
	stage    string
	reason   string
	details  []dispatch.Failure
	handoff  *window.Handoff
	result   *dispatch.Result // of the stage that failed; nil if it was none
	progress string
	conflict *dispatch.Conflict
}

// waiting is why a TASK waits.
type waiting struct {
	what   WaitFor
	until  time.Time
	state  stages.State
	reason string
	gaveUp bool
	paths  []string
}

// New makes the Plan of a graph before anything has happened.
func New(g *tasks.Graph) *Plan {
	p := &Plan{graph: g, nodes: make([]node, g.Len()), gone: map[tasks.ID]bool{}}
	for i := range p.nodes {
		n := &p.nodes[i]
		n.task, n.unmet = g.At(i), len(g.Deps(i))
	}
	return p
}

// Replay folds a whole record into a new Plan. If g is nil, the graph is made
// from the record itself.
func Replay(g *tasks.Graph, events []Event) (*Plan, error) {
	if g == nil {
		var err error
		if g, err = GraphOf(events); err != nil {
			return nil, err
		}
	}
	p := New(g)
	for i := range events {
		if err := p.Apply(events[i]); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// GraphOf makes the graph that a record speaks of: ids, titles, files and
// dependencies, without the TASKs' texts.
func GraphOf(events []Event) (*tasks.Graph, error) {
	specs := map[tasks.ID]TaskSpec{}
	var ids []tasks.ID
	put := func(s TaskSpec) {
		if _, ok := specs[s.ID]; !ok {
			ids = append(ids, s.ID)
		}
		specs[s.ID] = s
	}
	for i := range events {
		switch e := &events[i]; e.Type {
		case RunStarted:
			for _, s := range e.Tasks {
				put(s)
			}
		case TaskRespecified:
			if e.Spec != nil {
				put(*e.Spec)
			}
		}
	}
	list := make([]tasks.Task, 0, len(ids))
	for _, id := range ids {
		s := specs[id]
		if s.Removed {
			continue
		}
		var deps []tasks.ID
		for _, d := range s.Deps {
			if other, ok := specs[d]; ok && !other.Removed {
				deps = append(deps, d)
			}
		}
		list = append(list, tasks.Task{ID: id, Title: s.Title, File: s.File, Deps: deps, SpecHash: s.Hash,
			Options: tasks.Options{Locks: s.Locks, Approve: s.Approve}})
	}
	g, problems := tasks.NewGraph(list)
	for _, pr := range problems {
		if pr.Severity == tasks.Error {
			return nil, fmt.Errorf("the record's TASKs do not form a graph: %s", pr.Message)
		}
	}
	return g, nil
}
