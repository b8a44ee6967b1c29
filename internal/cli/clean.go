package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/scheduler"
)

func cleanCommand(p *Process) *cobra.Command {
	return &cobra.Command{
		Use:   "clean",
		Short: "Remove worktrees and refs that no session needs any more",
		Long: `Remove the worktrees and the refs under refs/pipeline/ of sessions that are done
or whose record is gone. Commits on branches, the sessions' records and whatever
an open session may still need are left alone.`,
		Example: "  pipeline doctor\n  pipeline clean",
		GroupID: groupSetUp,
		Args:    atMost(0),
		RunE:    func(c *cobra.Command, _ []string) error { return runClean(c.Context(), p) },
	}
}

func runClean(ctx context.Context, p *Process) error {
	pr, err := p.project(ctx)
	if err != nil {
		return err
	}
	lock, err := session.Acquire(pr.repo.CommonDir(), "clean", time.Now())
	if err != nil {
		return sessionFault(err)
	}
	defer lock.Release()
	n, err := pr.sweep(ctx, true)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "cleaned up after %s\n", plural(n, "session"))
	return err
}

// sweep removes what sessions that are done keep in the repository: their
// commits are on the branch, their record in their folder. With unknown, also
// what is kept for sessions whose record is gone. The lock is held.
func (pr *project) sweep(ctx context.Context, unknown bool) (int, error) {
	left, err := pr.repo.Leftovers(ctx)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, l := range left {
		s, err := pr.store.Open(l.Session)
		var none *session.NotFoundError
		switch {
		case errors.As(err, &none) && unknown:
		case err != nil:
			continue
		default:
			if sum := s.Summary(); sum.State != session.Finished || sum.Verdict != string(scheduler.AllDone) {
				continue
			}
		}
		if err := pr.repo.Clean(ctx, l); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
