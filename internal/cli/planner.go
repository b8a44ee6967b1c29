package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/internal/config"
	"github.com/taskpipeline/pipeline/internal/gitrepo"
	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/internal/view"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/envelope"
	"github.com/taskpipeline/pipeline/tasks"
)

// plannerRole is the name of the agent that plans, in prompts and in the session.
const plannerRole = "planner"

// planner is one run of an agent that writes TASK files.
type planner struct {
	p        *Process
	o        planTasksOptions
	config   config.Config
	executor string
	agent    config.Executor
	project  *project
	dir      string // of the TASK files, absolute
	inTree   string // the same in the planner's workspace, slash-separated
	commits  bool   // the folder can be committed
	before   []string

	lock    *session.Lock
	session *session.Session
	journal *session.Journal
	repo    *gitrepo.Repo
	work    stages.Workspace
	base    stages.Hash
	seq     int64
}

// planner looks at everything that can be wrong, takes the lock, and makes the
// session and the workspace.
func (p *Process) planner(ctx context.Context, o planTasksOptions) (_ *planner, err error) {
	pl := &planner{p: p, o: o}
	if pl.config, err = p.settings(); err != nil {
		return nil, err
	}
	if pl.executor, pl.agent, err = p.plannerOf(pl.config, o.Agent); err != nil {
		return nil, err
	}
	if pl.project, err = p.project(ctx); err != nil {
		return nil, err
	}
	if pl.dir, err = p.folderOf(pl.config, o.Dir); err != nil {
		return nil, err
	}
	if pl.before, err = taskFiles(os.DirFS(pl.dir), "."); err != nil {
		return nil, err
	}
	if len(pl.before) > 0 {
		if _, err := p.sound(pl.dir); err != nil {
			return nil, err
		}
	}
	if pl.inTree, pl.commits, err = pl.project.repo.TasksPath(ctx, pl.dir); err != nil {
		return nil, err
	}
	switch {
	case o.Commit && !pl.commits:
		return nil, faultf(errUsage, "--commit: the folder %s is not part of the repository, or ignored", p.typed(pl.dir)).then("leave --commit out")
	case pl.inTree == "":
		pl.inTree = "tasks"
	}
	defer func() {
		if err != nil {
			pl.close()
		}
	}()
	return pl, pl.open(ctx)
}

func (pl *planner) open(ctx context.Context) (err error) {
	id, now := pl.o.Session, time.Now()
	if id == "" {
		id = session.NewID(now)
	}
	if err := session.CheckID(id); err != nil {
		return sessionFault(err)
	}
	if pl.lock, err = session.Acquire(pl.project.repo.CommonDir(), id, now); err != nil {
		return sessionFault(err)
	}
	pl.repo, err = gitrepo.Open(ctx, gitrepo.Config{
		Dir: pl.project.repo.Root(), Branch: pl.config.Branch, Session: id, TasksDir: pl.dir, Isolation: gitrepo.Worktree,
		OutsideDir: filepath.Join(pl.project.store.Dir, "sessions", id, "outside"),
	})
	if err != nil {
		return refusal(err)
	}
	var none *session.NotFoundError
	pl.session, err = pl.project.store.Open(id)
	if errors.As(err, &none) {
		pl.session, err = pl.project.store.Create(id, now)
	}
	if err != nil {
		return sessionFault(err)
	}
	var past []scheduler.Event
	if pl.journal, past, err = pl.session.Journal(); err != nil {
		return faultf(errIntegrity, "%v", err)
	}
	pl.seq = int64(len(past))
	if len(past) == 0 {
		folder := pl.inTree
		if !pl.inRepo() {
			folder = pl.dir
		}
		if err := pl.record(scheduler.Event{Type: scheduler.RunStarted, Session: id, Folder: folder, Branch: pl.repo.Branch(), Work: "plan", Title: firstLine(pl.o.Goal), Config: &scheduler.Options{Attempts: pl.config.Attempts, Window: pl.config.Window}}); err != nil {
			return err
		}
	}
	if pl.base, err = pl.repo.Tip(ctx); err != nil {
		return err
	}
	pl.work, err = pl.repo.Open(ctx, stages.Lease{Task: plannerRole, Base: pl.base})
	return err
}

// inRepo tells whether the folder lies in the repository.
func (pl *planner) inRepo() bool {
	rel, err := filepath.Rel(pl.project.repo.Root(), pl.dir)
	return err == nil && filepath.IsLocal(rel)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// record adds an event to the session's record.
func (pl *planner) record(e scheduler.Event) error {
	pl.seq++
	e.V, e.Seq, e.Time = scheduler.Version, pl.seq, time.Now().UTC()
	if err := pl.journal.Append(&e); err != nil {
		return err
	}
	return pl.journal.Sync()
}

// close gives back what was taken. A workspace that cannot be removed is left
// to `pipeline clean`.
func (pl *planner) close() {
	if pl.repo != nil {
		ctx := context.Background()
		_ = pl.repo.Close(ctx, plannerRole, false)
		if err := pl.repo.Release(ctx); err != nil {
			fmt.Fprintf(pl.p.Stderr, "pipeline: warning: %v\n  next: pipeline doctor\n", err)
		}
	}
	if pl.journal != nil {
		_ = pl.journal.Close() // what matters was synced when it was written
	}
	if pl.lock != nil {
		_ = pl.lock.Release()
	}
}

// plan asks the agent until it has a verdict, and returns what it has planned:
// the TASK files by name, and the message of their commit.
func (pl *planner) plan(ctx context.Context) (files map[string][]byte, message string, err error) {
	began := pl.seq == 1
	mask := pl.p.mask(pl.config)
	shop := workshop{pl.p, pl.config, pl.project.repo.Root(), budgetOf(pl.config, nil), mask}
	env, _, err := pl.agent.Environ(pl.p.lookupEnv)
	if err != nil {
		return nil, "", faultf(errUsage, "executor %q: %v", pl.executor, err)
	}
	a := shop.agent(pl.executor, pl.agent, values(env))
	a.Checks = []envelope.Gate{pl.sound()}
	if err := a.Ready(tasks.Task{}); err != nil {
		return nil, "", faultf(errUsage, "%v", err).then("pipeline doctor")
	}
	asked := stages.Func(func(ctx context.Context, req stages.Request) (stages.Response, error) {
		_, resp, err := a.Call(ctx, req, plannerRole, pl.prompt())
		return resp, err
	})
	e := mask.Executor(stages.Timeout(stages.IdleTimeout(stages.Confined(asked), pl.agent.IdleTimeout), pl.agent.Timeout))
	resp, err := pl.ask(ctx, e)
	if began {
		// A session of a planner alone has no TASK: there is nothing to go on with.
		err = errors.Join(err, pl.record(scheduler.Event{Type: scheduler.RunFinished, Verdict: scheduler.AllDone, Totals: &scheduler.Totals{}}))
	}
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, ctx.Err()) {
		kind := errInterrupt
		if errors.Is(cause, errTerminate) {
			kind = errTerminate
		}
		return nil, "", faultf(kind, "%v; nothing was written to %s", kind, pl.p.typed(pl.dir)).then("pipeline plan-tasks …, once more")
	}
	if err != nil {
		return nil, "", err
	}
	if resp.Status != dispatch.Pass {
		return nil, "", faultf(errFailed, "the planner failed: %s", view.Plain(resp.Summary)).
			then("cat %s", pl.p.typed(filepath.Join(pl.session.AgentDir(plannerRole), "raw_output.jsonl")))
	}
	out, err := envelope.Parse(envelope.Plan, resp.Envelope)
	if err != nil {
		return nil, "", err
	}
	files, err = pl.written()
	return files, out.(envelope.PlanOutput).CommitMessage, err
}

// ask sends until the provider answers, for as long as the config waits for one.
func (pl *planner) ask(ctx context.Context, e stages.Executor) (stages.Response, error) {
	step := stages.Step{Stage: plannerRole, Attempt: 1}
	sinks := session.Sinks{Session: pl.session, Limit: pl.config.Limits.Output, Evidence: func(_ stages.Step, ev stages.Evidence) error {
		if ev.Type == string(scheduler.AgentTool) || ev.Type == string(scheduler.Warning) {
			fmt.Fprintln(pl.p.Stdout, "planner: "+view.Plain(ev.Text))
		}
		return pl.record(scheduler.Event{Type: scheduler.Type(ev.Type), Stage: plannerRole, Attempt: 1, Executor: pl.executor, Reason: ev.Text, Data: ev.Data})
	}}
	req := stages.Request{
		Step: step, Session: pl.session.ID, Workspace: pl.work.Dir, HandoffDir: pl.session.HandoffDir(), Base: pl.base,
		Facts: pl.repo.Facts(plannerRole), AgentDir: pl.session.AgentDir(plannerRole), Now: time.Now(), Sink: sinks.Sink(step), Foreign: pl.session.Foreign,
	}
	fmt.Fprintf(pl.p.Stdout, "session %s: %s plans\n", pl.session.ID, pl.executor)
	var waited time.Duration
	for {
		resp, err := e.Execute(ctx, req)
		if err != nil || resp.Wait == nil {
			return resp, err
		}
		wait := time.Until(resp.Wait.Until)
		switch waited += max(wait, 0); {
		case resp.Wait.Budget:
			return resp, faultf(errBudget, "%s", resp.Wait.Reason)
		case waited > pl.config.MaxWait:
			return resp, faultf(errRateLimited, "the provider does not answer: %s", view.Plain(resp.Wait.Reason))
		}
		fmt.Fprintf(pl.p.Stdout, "planner: waiting until %s: %s\n", resp.Wait.Until.Local().Format("15:04:05"), view.Plain(resp.Wait.Reason))
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return resp, context.Cause(ctx)
		}
		req.Resume = resp.Wait.State
	}
}

// prompt is the goal, and what the planner has to know of the folder.
func (pl *planner) prompt() string {
	there := "It is empty: begin with TASK-01."
	if numbers, err := takenNumbers(pl.dir); err == nil && len(numbers) > 0 {
		last := slices.Max(numbers)
		there = fmt.Sprintf("It has TASKs up to TASK-%02d already: begin with TASK-%02d, and leave the files that are there as they are.", last, last+1)
	}
	return fmt.Sprintf("%s\n\nThe tasks folder is `%s`. %s", pl.o.Goal, pl.inTree, there)
}
