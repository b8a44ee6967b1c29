package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/taskpipeline/pipeline/internal/gitrepo"
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
	journal *session.Journal
	past    []scheduler.Event
	repo    *gitrepo.Repo
	inRepo  string // the tasks folder in the repository
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
	if err := b.branch(ctx); err != nil {
		return nil, err
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
	if err := b.choose(); err != nil {
		return nil, err
	}
	if b.folder, err = p.sound(b.o.Dir); err != nil {
		return nil, err
	}
	b.folder.Config, err = p.settings(o.Flags...)
	return b, err
}

// choose finds the session to go on with: the one that was named, else the one
// that is not done. Without one, b.session stays nil and a new one is made.
func (b *build) choose() error {
	if b.o.Session != "" {
		s, err := b.project.store.Open(b.o.Session)
		if b.o.Join {
			s, err = b.project.store.Find(b.o.Session)
		}
		var none *session.NotFoundError
		if errors.As(err, &none) && !b.o.Join {
			return nil
		}
		b.session = s
		if err != nil {
			return sessionFault(err)
		}
		return b.joinFolder()
	}
	all, err := b.project.store.List()
	if err != nil {
		return err
	}
	var open []string
	for _, s := range all {
		if s.State == session.Broken {
			return faultf(errIntegrity, "session %s: %s", s.ID, s.Problem)
		}
		if s.State == session.Open || s.State == session.Finished && s.Verdict != string(scheduler.AllDone) {
			open = append(open, s.ID)
		}
	}
	switch {
	case len(open) == 0 && b.o.Join:
		return faultf(errNothing, "there is no session to go on with: all are done").then("pipeline run")
	case len(open) == 0:
		return nil
	case len(open) > 1:
		return faultf(errAmbiguous, "several sessions are not done: %s", strings.Join(open, ", ")).then("pipeline resume %s", open[0])
	}
	if b.session, err = b.project.store.Open(open[0]); err != nil {
		return sessionFault(err)
	}
	return b.joinFolder()
}

// joinFolder takes the tasks folder of the session that is joined.
func (b *build) joinFolder() error {
	sum := b.session.Summary()
	if sum.State == session.Broken {
		return faultf(errIntegrity, "session %s: %s", sum.ID, sum.Problem)
	}
	if b.o.Dir == "" && sum.Folder != "" {
		b.o.Dir = filepath.Join(b.project.repo.Root(), filepath.FromSlash(sum.Folder))
		if filepath.IsAbs(sum.Folder) {
			b.o.Dir = sum.Folder
		}
	}
	return nil
}

// branch makes the target branch if it was named and is not there yet.
func (b *build) branch(ctx context.Context) error {
	name := b.folder.Config.Branch
	if name == "" {
		return nil
	}
	tip, err := b.project.repo.BranchTip(name)
	if err != nil || tip != "" {
		return err
	}
	return b.project.repo.CreateBranch(ctx, name)
}

// open takes the lock and opens the record and the repository.
func (b *build) open(ctx context.Context) error {
	id := b.o.Session
	if b.session != nil {
		id = b.session.ID
	} else if id == "" {
		id = session.NewID(b.started)
	}
	if err := session.CheckID(id); err != nil {
		return sessionFault(err)
	}
	var err error
	if b.lock, err = session.Acquire(b.project.repo.CommonDir(), id, b.started); err != nil {
		return sessionFault(err)
	}
	c := b.folder.Config
	b.repo, err = gitrepo.Open(ctx, gitrepo.Config{
		Dir: b.project.repo.Root(), Branch: c.Branch, Session: id, TasksDir: b.folder.Dir,
		Isolation: gitrepo.Isolation(c.Isolation), Prepare: c.Workspace.Prepare, Link: c.Workspace.Link,
		OutsideDir: filepath.Join(b.project.store.Dir, "sessions", id, "outside"),
	})
	if err != nil {
		return refusal(err)
	}
	if way, err := b.repo.Follow(ctx); err != nil {
		return err
	} else if len(way) > 0 {
		return faultf(errBlocked, "the checkout is behind its branch, and %s of yours %s in the way", strings.Join(way, ", "), areIn(len(way))).
			then("commit or move it, then `pipeline resume`")
	}
	tip, err := b.repo.Tip(ctx)
	if err != nil {
		return err
	}
	inRepo, committed, err := b.repo.TasksPath(ctx, b.folder.Dir)
	if err != nil {
		return err
	}
	b.inRepo = inRepo
	if err := b.look(ctx, b.repo.Reader, tip, inRepo, committed); err != nil {
		return err
	}
	if b.session == nil && b.nothingToDo() {
		return nil
	}
	if b.session != nil {
		if b.past, err = b.session.Read(); err != nil {
			return faultf(errIntegrity, "%v", err)
		}
	}
	if err := b.runner().Check(b.folder.Graph); err != nil {
		return b.cannotStart(err)
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

// look finds out which TASKs are done, and with that which are asked for.
func (b *build) look(ctx context.Context, repo *gitrepo.Reader, tip stages.Hash, inRepo string, committed bool) (err error) {
	if b.facts, err = facts(ctx, repo, tip, b.folder.Dir, inRepo, committed); err != nil {
		return err
	}
	b.sel, err = b.o.selection(b.folder.Graph, func(id tasks.ID) bool {
		t, _ := b.folder.Graph.Get(id)
		r, ok := b.facts.Results[id]
		return ok && (r.Spec == "" || r.Spec == t.SpecHash)
	})
	return err
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
	inbox := b.session.Inbox(b.past)
	r := b.runner()
	r.Journal = b.journal
	r.Sinks = func(s scheduler.Step, evidence func(stages.Evidence) error) stages.Sink {
		sinks := session.Sinks{Session: b.session, Limit: b.folder.Config.Limits.Output,
			Evidence: func(_ stages.Step, e stages.Evidence) error { return evidence(e) }}
		return sinks.Sink(s)
	}
	r.HandoffDir = b.session.HandoffDir()
	r.Commands, r.Answered = inbox.Watch(asked), inbox.Done
	r.Observe = show
	verdict, err := r.Run(ctx, b.folder.Graph)
	finish()
	return verdict, err
}

// runner is the run without the session that it is recorded in.
func (b *build) runner() *scheduler.Runner {
	c := b.folder.Config
	return &scheduler.Runner{
		Executors:  b.p.executors(c, b.project.repo.Root()),
		Stages:     scheduler.StageNames{Builder: c.Stages.Builder, Verifier: c.Stages.Verifier, Reverifier: c.Stages.Reverifier},
		Jobs:       c.Jobs,
		Past:       b.past,
		Facts:      b.facts,
		Select:     b.sel,
		Opening:    b.opening(b.inRepo, b.repo.Branch()),
		Workspaces: b.repo, Objects: b.repo, Lander: b.repo, Undeclared: c.Undeclared,
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

// opening is what the record says about the run as a whole. The folder is its
// path in the repository, or "" if it lies outside.
func (b *build) opening(folder, branch string) scheduler.Event {
	c := b.folder.Config
	if folder == "" {
		folder = b.folder.Dir
	}
	e := scheduler.Event{
		Work: b.folder.Graph.Work(), Title: b.folder.Graph.Title(), Folder: folder, Branch: branch,
		Config: &scheduler.Options{Attempts: c.Attempts, KeepGoing: b.o.KeepOn, FailFast: b.o.FailFast, Window: c.Window, MaxWait: c.MaxWait},
	}
	if b.session != nil {
		e.Session = b.session.ID
	}
	return e
}

// verdict is the run's end as an error with its kind and the next command.
func (b *build) verdict(v scheduler.Verdict) error {
	plan := b.record.Plan
	switch v {
	case scheduler.AllDone:
		return nil
	case scheduler.SomeFailed:
		return b.failed(plan)
	case scheduler.Stopped:
		return faultf(errInterrupt, "stopped").then("pipeline resume %s", b.session.ID)
	case scheduler.IsBlocked:
		return faultf(errBlocked, "uncommitted changes of yours are in the way of landing").
			then("commit or move them, then `pipeline resume`; or `pipeline run --branch pipeline/%s` to go on editing meanwhile", b.folder.Graph.Work())
	case scheduler.RateLimited:
		return faultf(errRateLimited, "rate limited").then("pipeline resume %s", b.session.ID)
	case scheduler.IsWaiting:
		return faultf(errApproval, "waiting for approval of %s", names(plan, scheduler.Waiting)).
			then("pipeline diff %s", firstOf(plan, scheduler.Waiting))
	}
	return faultf(errIntegrity, "the run ended with TASKs that nothing can start: %s", v).then("pipeline status")
}

// failed names the FAILED TASKs and how to find out why.
func (b *build) failed(plan *scheduler.Plan) error {
	first := firstOf(plan, scheduler.IsFailed)
	who := string(first)
	if n := plan.Totals().Failed; n > 1 {
		who = fmt.Sprintf("%s FAILED; the first, %s,", names(plan, scheduler.IsFailed), first)
	}
	return faultf(errFailed, "%s FAILED: %s", who, plan.State(first).Reason).then("pipeline inspect %s", first)
}

// fault is an error that cut the run off, with its kind.
func (b *build) fault(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, cause) {
		kind := errInterrupt
		if errors.Is(cause, errTerminate) {
			kind = errTerminate
		}
		return faultf(kind, "cut off; nothing that was finished is lost").then("pipeline resume %s", b.session.ID)
	}
	if r := (*scheduler.RecordError)(nil); errors.As(err, &r) {
		return faultf(errIntegrity, "%s: %v", b.p.typed(b.session.EventsFile()), err)
	}
	f := faultf(errUsage, "%v", err)
	if bad := refusal(err); bad != err {
		return bad
	}
	return f.then("mend it, then `pipeline resume`")
}

func areIn(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func firstOf(plan *scheduler.Plan, s scheduler.State) tasks.ID {
	for t := range plan.Graph().All() {
		if plan.State(t.ID).State == s {
			return t.ID
		}
	}
	return ""
}

func names(plan *scheduler.Plan, s scheduler.State) string {
	var out []string
	for t := range plan.Graph().All() {
		if plan.State(t.ID).State == s {
			out = append(out, string(t.ID))
		}
	}
	if len(out) > 5 {
		return fmt.Sprintf("%s and %d more", strings.Join(out[:5], ", "), len(out)-5)
	}
	return strings.Join(out, ", ")
}
