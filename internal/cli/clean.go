package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/internal/gitrepo"
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
	swept, err := pr.sweep(ctx, true)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "cleaned up after %s\n", plural(len(swept), "session"))
	return err
}

// sweep removes what sessions that are done keep in the repository: their
// commits are on the branch, their record in their folder. With unknown, also
// what is kept for sessions whose record is gone. The lock is held.
func (pr *project) sweep(ctx context.Context, unknown bool) ([]gitrepo.Leftover, error) {
	left, err := pr.repo.Leftovers(ctx)
	if err != nil {
		return nil, err
	}
	var swept []gitrepo.Leftover
	for _, l := range left {
		needed, err := pr.needed(l.Session, unknown)
		if err != nil {
			return swept, err
		}
		if needed {
			continue
		}
		if err := pr.repo.Clean(ctx, l); err != nil {
			return swept, err
		}
		swept = append(swept, l)
	}
	return swept, nil
}

// needed tells whether a session may still need what it keeps in the repository.
// Its record may lie in any checkout of it; one that is not there now may hold
// the record of a session that is found nowhere else. With unknown, a session
// whose record is gone needs nothing.
func (pr *project) needed(id string, unknown bool) (bool, error) {
	there, missing, err := pr.repo.Checkouts()
	if err != nil {
		return true, err
	}
	for _, root := range there {
		s, err := session.At(root).Open(id)
		if none := (*session.NotFoundError)(nil); errors.As(err, &none) {
			continue
		}
		if err != nil {
			return true, nil
		}
		sum := s.Summary()
		return sum.State != session.Finished || sum.Verdict != string(scheduler.AllDone), nil
	}
	return !unknown || len(missing) > 0, nil
}
