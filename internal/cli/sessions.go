package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/internal/view"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
)

func sessionsCommand(p *Process) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "sessions",
		Short:   "List the sessions of this repository, the latest first",
		Example: "  pipeline sessions\n  pipeline sessions --json",
		GroupID: groupLook,
		Args:    atMost(0),
		RunE:    func(c *cobra.Command, _ []string) error { return runSessions(c.Context(), p, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func runSessions(ctx context.Context, p *Process, asJSON bool) error {
	pr, err := p.project(ctx)
	if err != nil {
		return err
	}
	all, err := pr.store.List()
	if err != nil {
		return err
	}
	holder, live, err := session.Held(pr.repo.CommonDir())
	if err != nil {
		return err
	}
	list := make([]view.Session, 0, len(all))
	for _, s := range all {
		row := view.Session{ID: s.ID, Work: s.Work, Title: s.Title, Branch: s.Branch, Started: s.Started,
			Updated: s.Updated, Totals: s.Totals, Problem: s.Problem, State: stateOf(s, live && holder.Session == s.ID)}
		if opened, err := pr.store.Open(s.ID); err == nil {
			if spent := spentBy(opened); spent != (stages.Usage{}) {
				row.Usage = &spent
			}
		}
		list = append(list, row)
	}
	if asJSON {
		return view.JSON(p.Stdout, list)
	}
	return view.Sessions(p.Stdout, list, p.style(p.Stdout), time.Now())
}

// stateOf is where a session stands, as far as the ends of its record tell.
func stateOf(s session.Summary, live bool) string {
	switch {
	case live:
		return string(view.SessionRunning)
	case s.State == session.Open:
		return string(view.SessionInterrupted)
	case s.State != session.Finished:
		return string(s.State)
	}
	switch scheduler.Verdict(s.Verdict) {
	case scheduler.AllDone:
		return string(view.SessionDone)
	case scheduler.SomeFailed:
		return string(view.SessionFailed)
	case scheduler.IsWaiting, scheduler.IsBlocked, scheduler.RateLimited, scheduler.OverBudget:
		return string(view.SessionWaiting)
	}
	return string(view.SessionInterrupted)
}
