package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/taskpipeline/pipeline/internal/gitrepo"
	"github.com/taskpipeline/pipeline/internal/proc"
	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/internal/view"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// build is one run that is about to happen: everything is looked up, locked
// and opened, and nothing has been decided.
type build struct {
	p       *Process
	o       runOptions
	folder  *folder
	project *project
	lock    *session.Lock
	session *session.Session
	joined  string // the branch that a joined session lands on
	journal *session.Journal
	past    []scheduler.Event
	repo    *gitrepo.Repo
	inRepo  string // the tasks folder in the repository, "" if it lies outside
	branch  string // the target branch
	facts   scheduler.Facts
	sel     scheduler.Selection
	record  *view.Record // folded as the run goes
	shown   error        // why record is not whole
	started time.Time
}

// prepare looks at everything that can be wrong before it takes the lock, and
// makes the session last, so that a refused run leaves nothing behind.
func (p *Process) prepare(ctx context.Context, o runOptions) (*build, error) {
	b, err := p.find(ctx, o)
	if err != nil {
		return nil, err
	}
	if holder, live, err := session.Held(b.project.repo.CommonDir()); err == nil && live && holder.Session == p.getenv("PIPELINE_SESSION") {
		return nil, faultf(errUsage, "this is inside a stage of %s: a stage cannot start a run of its own repository", p.getenv("PIPELINE_TASK"))
	}
	if err := b.open(ctx); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// find finds the repository, the session to go on with, the tasks folder and
// the settings. It writes nothing.
func (p *Process) find(ctx context.Context, o runOptions) (*build, error) {
	pr, err := p.project(ctx)
	if err != nil {
		return nil, err
	}
	b := &build{p: p, o: o, project: pr, started: time.Now()}
	if err := b.choose(ctx); err != nil {
		return nil, err
	}
	if b.folder, err = p.sound(b.o.Dir); err != nil {
		return nil, err
	}
	if b.folder.Config, err = p.settings(b.o.Flags...); err != nil {
		return nil, err
	}
	return b, b.keepBranch()
}

// open takes the lock, refuses what can be refused, and only then makes what is
// missing: the branch, the session.
func (b *build) open(ctx context.Context) (err error) {
	id := b.o.Session
	if b.session != nil {
		id = b.session.ID
	} else if id == "" {
		id = session.NewID(b.started)
	}
	if err := session.CheckID(id); err != nil {
		return sessionFault(err)
	}
	if b.lock, err = session.Acquire(b.project.repo.CommonDir(), id, b.started); err != nil {
		return sessionFault(err)
	}
	if _, err := b.look(ctx); err != nil {
		return err
	}
	if b.session == nil && b.nothingToDo() {
		return nil
	}
	if b.session != nil {
		if _, err := proc.EndLeftovers("PIPELINE_CONTEXT_HANDOFF_DIR=" + b.session.HandoffDir()); err != nil {
			return err
		}
		if b.past, err = b.session.Read(); err != nil {
			return faultf(errIntegrity, "%v", err)
		}
	}
	if err := b.runner().Check(b.folder.Graph); err != nil {
		return b.cannotStart(err)
	}
	if err := b.openRepo(ctx, id); err != nil {
		return err
	}
	if b.session == nil {
		if b.session, err = b.project.store.Create(id, b.started); err != nil {
			return sessionFault(err)
		}
	}
	if b.journal, b.past, err = b.session.Journal(); err != nil {
		return faultf(errIntegrity, "%v", err)
	}
	if b.record, err = view.Fold(b.folder.Graph, b.past); err != nil {
		return faultf(errIntegrity, "%s: %v", b.p.typed(b.session.EventsFile()), err)
	}
	return nil
}

// openRepo opens the repository for work, with its target branch, and finishes
// what an earlier landing left to do.
func (b *build) openRepo(ctx context.Context, id string) (err error) {
	c := b.folder.Config
	if c.Branch != "" {
		if err := b.project.repo.CreateBranch(ctx, c.Branch); err != nil {
			return refusal(err)
		}
	}
	b.repo, err = gitrepo.Open(ctx, gitrepo.Config{
		Dir: b.project.repo.Root(), Branch: c.Branch, Session: id, TasksDir: b.folder.Dir,
		Isolation: gitrepo.Isolation(c.Isolation), Prepare: c.Workspace.Prepare, PrepareKey: c.Workspace.PrepareKey,
		Link: c.Workspace.Link, HookLimit: c.Timeout,
		OutsideDir: filepath.Join(b.project.store.Dir, "sessions", id, "outside"),
	})
	if err != nil {
		return refusal(err)
	}
	way, err := b.repo.Follow(ctx)
	if err == nil && len(way) > 0 {
		err = behindBranch(way, "pipeline resume")
	}
	return err
}

// look finds out, without writing anything, where the target branch stands,
// which TASKs are done there, and with that which are asked for.
func (b *build) look(ctx context.Context) (tip stages.Hash, err error) {
	repo := b.project.repo
	inRepo, committed, err := repo.TasksPath(ctx, b.folder.Dir)
	if err != nil {
		return "", err
	}
	head, checkedOut, err := repo.Head(ctx)
	if err != nil {
		return "", err
	}
	b.inRepo, b.branch = inRepo, checkedOut
	if tip = head; b.folder.Config.Branch != "" {
		b.branch = b.folder.Config.Branch
		if tip, err = repo.BranchTip(b.branch); err != nil {
			return "", err
		}
		if tip == "" && b.joined != "" {
			return "", b.branchGone()
		}
		if tip == "" {
			tip = head // it will be made there
		}
	}
	if tip != "" {
		if b.facts, err = facts(ctx, repo, tip, b.folder.Dir, inRepo, committed); err != nil {
			return "", err
		}
	}
	b.sel, err = b.o.selection(b.folder.Graph, func(id tasks.ID) bool {
		t, _ := b.folder.Graph.Get(id)
		r, ok := b.facts.Results[id]
		return ok && (r.Spec == "" || r.Spec == t.SpecHash)
	})
	b.sel.Kept = b.o.Join
	return tip, err
}

// nothingToDo tells whether every TASK that was asked for is done.
func (b *build) nothingToDo() bool {
	for _, t := range scheduler.Initially(b.folder.Graph, b.facts, b.sel) {
		if t.State == scheduler.AsNew || t.State == scheduler.AsStale {
			return false
		}
	}
	return true
}

// close gives back what prepare took.
func (b *build) close() {
	if b.repo != nil {
		if err := b.repo.Release(context.Background()); err != nil {
			fmt.Fprintf(b.p.Stderr, "pipeline: warning: %v\n  next: pipeline doctor\n", err)
		}
	}
	if b.journal != nil {
		_ = b.journal.Close() // what matters was synced when it was written
	}
	if b.lock != nil {
		_ = b.lock.Release()
	}
}

// run performs the graph.
func (b *build) run(ctx context.Context) (scheduler.Verdict, error) {
	show, finish := b.output()
	asked, stopAsking := context.WithCancel(ctx)
	defer stopAsking()
	inbox := b.session.Inbox(b.past, b.started)
	r := b.runner()
	r.Journal, r.Workspaces, r.Objects, r.Lander = b.journal, b.repo, b.repo, b.repo
	if b.folder.Config.Hooks {
		r.Hooks = b.repo
	}
	r.Sinks = func(s scheduler.Step, evidence func(stages.Evidence) error) stages.Sink {
		sinks := session.Sinks{Session: b.session, Limit: b.folder.Config.Limits.Output,
			Evidence: func(_ stages.Step, e stages.Evidence) error { return evidence(e) }}
		return sinks.Sink(s)
	}
	r.HandoffDir, r.AgentDir, r.Foreign = b.session.HandoffDir(), b.session.AgentDir, b.session.Foreign
	r.Commands, r.Answered = inbox.Watch(asked), inbox.Done
	r.Observe = show
	verdict, err := r.Run(ctx, b.folder.Graph)
	finish()
	return verdict, err
}

// runner is the run without the session that it is recorded in.
func (b *build) runner() *scheduler.Runner {
	c := b.folder.Config
	mask := b.p.mask(c)
	return &scheduler.Runner{
		Executors:  workshop{b.p, c, b.project.repo.Root(), budgetOf(c, b.past), mask}.executors(),
		Mask:       mask,
		Stages:     scheduler.StageNames{Builder: c.Stages.Builder, Verifier: c.Stages.Verifier, Reverifier: c.Stages.Reverifier},
		Jobs:       c.Jobs,
		Past:       b.past,
		Facts:      b.facts,
		Select:     b.sel,
		Opening:    b.opening(),
		Undeclared: c.Undeclared,
	}
}

// cannotStart tells all that keeps the run from being begun.
func (b *build) cannotStart(err error) error {
	if r := (*scheduler.RecordError)(nil); errors.As(err, &r) {
		return faultf(errIntegrity, "session %s: %v", b.session.ID, err)
	}
	lines := strings.Split(err.Error(), "\n")
	f := faultf(errUsage, "%s", lines[0]).then("pipeline validate %s", b.folder.Name)
	f.more = lines[1:]
	return f
}

// opening is what the record says about the run as a whole.
func (b *build) opening() scheduler.Event {
	c := b.folder.Config
	folder := b.inRepo
	if folder == "" {
		folder = b.folder.Dir
	}
	e := scheduler.Event{
		Work: b.folder.Graph.Work(), Title: b.folder.Graph.Title(), Folder: folder, Branch: b.branch,
		Config: &scheduler.Options{Attempts: c.Attempts, KeepGoing: b.o.KeepOn, FailFast: b.o.FailFast, Window: c.Window, MaxWait: c.MaxWait, Reverify: scheduler.Reverify(c.Reverify)},
	}
	for _, flag := range b.o.Flags {
		if e.Flags == nil {
			e.Flags = scheduler.Flags{}
		}
		e.Flags[flag.Key] = flag.Value
	}
	if b.session != nil {
		e.Session = b.session.ID
	}
	return e
}
