package scheduler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// Runner performs a Plan. The zero value of every field but Executors is
// useful: without a Journal nothing is recorded, without Workspaces, Objects
// and a Lander the stages run with no tree and nothing is committed.
//
// One goroutine owns the plan; steps run in goroutines of an errgroup, at most
// Jobs TASKs at a time, each begun only when the plan says that it may. An
// error from a step ends the run and cancels the others.
type Runner struct {
	Executors map[string]stages.Executor // by the name used in the configuration
	Stages    StageNames                 // which executor performs which stage
	Jobs      int                        // TASKs at once; 0 means 1

	Journal Journal
	Past    []Event   // the record so far, if a session is joined
	Opening Event     // what run_started or run_joined shall carry
	Facts   Facts     // what the repository says
	Select  Selection // which TASKs the run is about

	Workspaces stages.Workspaces
	Objects    stages.Objects
	Mask       *stages.Mask // of secrets, which are in nothing that is written; executors have it around them already
	Lander     stages.Lander
	Hooks      stages.Hooks // nil: none run
	Undeclared stages.Undeclared

	Sinks      Sinks                     // nil: nothing is kept
	HandoffDir string                    // absolute path of context_handoff/
	AgentDir   func(agent string) string // absolute path of an agent's folder in the session; nil: nothing is kept
	Foreign    func() ([]string, error)  // see stages.Request
	Env        []string                  // added to every stage's environment
	Commands   <-chan Event              // what people ask of the run; warnings are recorded as they are
	Answered   func(Event) error         // told of each command once its answer is durable

	Now     func() time.Time // nil: time.Now
	Observe func(Event)      // sees every event once it is recorded; must not block
	Log     *slog.Logger     // nil: discarded
}

// StageNames names the executors of the stages. A TASK's own choice wins.
type StageNames struct {
	Builder    string
	Verifier   string
	Reverifier string // on a moved base; "" means the verifier
}

// Journal keeps the record. Append writes an event that has its number and
// time; Sync makes all that was appended durable. One goroutine calls both.
type Journal interface {
	Append(*Event) error
	Sync() error
}

// Sinks makes the Sink of a step. What the step wants to be read later goes
// through evidence, which numbers and records it.
type Sinks func(s Step, evidence func(stages.Evidence) error) stages.Sink

// Run performs the graph to the end of the run and tells how it ended. The
// verdict holds when the error is nil; an error means that the run was cut
// off, by ctx or by something that stood in its way, and can be resumed.
func (r *Runner) Run(ctx context.Context, g *tasks.Graph) (Verdict, error) {
	own := *r
	u := &run{Runner: &own, plan: New(g), done: make(chan outcome), emitted: make(chan Event)}
	if u.Now == nil {
		u.Now = time.Now
	}
	if u.Log == nil {
		u.Log = slog.New(slog.DiscardHandler)
	}
	if err := u.open(); err != nil {
		return "", err
	}
	if err := u.lookUp(); err != nil {
		return "", err
	}
	stepCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	group, groupCtx := errgroup.WithContext(stepCtx)
	u.group, u.stepCtx, u.cancel = group, groupCtx, cancel

	verdict, err := u.loop(ctx)
	if err != nil {
		cancel(err)
	}
	ended := u.end()
	stepErr := group.Wait()
	switch {
	case err == nil:
		err = stepErr
	case ctx.Err() != nil:
		err = context.Cause(ctx) // whatever the steps made of it
	case stepErr != nil && errors.Is(err, context.Canceled):
		err = stepErr
	}
	return verdict, cmp.Or(err, ended)
}

// run is one call of Run. All fields belong to its goroutine.
type run struct {
	*Runner
	plan     *Plan
	seq      int64
	unsynced bool
	unseen   []Event       // recorded, not yet durable, so not yet shown
	ended    []tasks.ID    // whose workspaces to close once it is durable
	closed   chan struct{} // the closings under way; nil if there are none
	inFlight int
	landing  bool
	tip      stages.Hash
	group    *errgroup.Group
	stepCtx  context.Context
	cancel   context.CancelCauseFunc
	done     chan outcome
	emitted  chan Event
}

// open brings the record up to date and the plan with it.
func (u *run) open() error {
	for i := range u.Past {
		if err := u.plan.Apply(u.Past[i]); err != nil {
			return err
		}
		u.seq = u.Past[i].Seq
	}
	if err := u.conclude(); err != nil {
		return err
	}
	e := u.Opening
	if len(u.Past) == 0 {
		e.Type, e.Tasks = RunStarted, Initially(u.plan.graph, u.Facts, u.Select)
		return errors.Join(u.record(e), u.sync())
	}
	e.Type, e.Tasks = RunJoined, nil
	for i := range u.plan.nodes {
		if n := &u.plan.nodes[i]; n.state != Outside && n.approve != n.task.Approve {
			e.Tasks = append(e.Tasks, specOf(n.task))
		}
	}
	if err := u.record(e); err != nil {
		return err
	}
	for _, found := range Reconcile(u.plan, u.Past, u.Facts, u.Select) {
		if err := u.record(found); err != nil {
			return err
		}
	}
	// The last run may have been cut off before it closed their workspaces.
	for i := range u.plan.nodes {
		u.ended = append(u.ended, u.plan.nodes[i].task.ID)
	}
	return u.sync()
}

// lookUp finds the executor of every stage to come before any stage runs.
func (u *run) lookUp() error {
	var errs []error
	for i := range u.plan.nodes {
		n := &u.plan.nodes[i]
		if n.state != Pending && n.state != Running && n.state != Waiting {
			continue
		}
		for _, stage := range []dispatch.Stage{dispatch.Builder, dispatch.Verifier} {
			errs = append(errs, u.ready(n.task, Step{Stage: stage}))
		}
		if u.Stages.Reverifier != "" {
			errs = append(errs, u.ready(n.task, Step{Stage: dispatch.Verifier, Round: 2}))
		}
	}
	return errors.Join(errs...)
}

// ready tells why a step of a TASK could not be performed.
func (u *run) ready(t *tasks.Task, s Step) error {
	name, x, err := u.executor(t, s)
	if err != nil {
		return err
	}
	if err := stages.Ready(x, *t); err != nil {
		return fmt.Errorf("%s: its %s %q: %w", t.ID, s.Stage, name, err)
	}
	return nil
}

// executor chooses who performs a step.
func (u *run) executor(t *tasks.Task, s Step) (string, stages.Executor, error) {
	name, own := u.Stages.Builder, t.Builder
	if s.Stage == dispatch.Verifier {
		name, own = u.Stages.Verifier, t.Verifier
	}
	if own != "" {
		name = own
	}
	if s.Stage == dispatch.Verifier && s.Round > 1 && u.Stages.Reverifier != "" {
		name = u.Stages.Reverifier
	}
	x, ok := u.Executors[name]
	if !ok {
		return name, nil, fmt.Errorf("%s: its %s %q is not among the configured executors", t.ID, s.Stage, name)
	}
	return name, x, nil
}

// record numbers an event, writes it, and then applies it.
func (u *run) record(e Event) error {
	u.seq++
	e.V, e.Seq, e.Time = Version, u.seq, u.Now().UTC().Round(0)
	if u.Journal != nil {
		if err := u.Journal.Append(&e); err != nil {
			return err
		}
		u.unsynced = true
	}
	if err := u.plan.Apply(e); err != nil {
		return err
	}
	if u.Observe != nil {
		u.unseen = append(u.unseen, e)
	}
	return u.conclude()
}

// conclude records what the plan concludes from the facts so far.
func (u *run) conclude() error {
	for due := u.plan.Conclusions(); len(due) > 0; due = u.plan.Conclusions() {
		if err := u.record(due[0]); err != nil {
			return err
		}
	}
	return nil
}

// sync makes the record durable, and only then lets it be seen. Nothing acts on
// an event before that.
func (u *run) sync() error {
	if u.Journal != nil && u.unsynced {
		u.unsynced = false
		if err := u.Journal.Sync(); err != nil {
			return err
		}
	}
	for _, e := range u.unseen {
		u.Observe(e)
	}
	u.unseen = u.unseen[:0]
	return nil
}
