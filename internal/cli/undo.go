package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/internal/gitrepo"
	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/tasks"
)

// undoOptions are what `undo` goes by.
type undoOptions struct {
	What       string // a TASK, or a session
	Session    string // of the TASK; "" for the folder's TASK on the branch of the config
	Yes        bool
	Downstream bool
	JSON       bool
}

func undoCommand(p *Process) *cobra.Command {
	var o undoOptions
	c := &cobra.Command{
		Use:   "undo TASK|SESSION",
		Short: "Take back what landed, by new commits; shows first, does it with --yes",
		Long: `Take back what a TASK, or all TASKs of a session, brought to the branch: one new
commit for each, the last landed first. Nothing is reset and no history is
rewritten. progress.md and result.md go with it, so the next run builds the TASK
again.

Without --yes it only shows what it would do. All or nothing: if a later commit
or a change of yours that is not committed stands in the way, nothing is changed.`,
		Example: `  pipeline undo TASK-03                # show what would be taken back
  pipeline undo TASK-03 --yes          # take it back
  pipeline undo TASK-03 --downstream   # with the TASKs that depend on it
  pipeline undo 01JD                   # all that this session landed`,
		GroupID:           groupBuild,
		Args:              exactly(1, "the TASK or the session"),
		ValidArgsFunction: completeUndo(p),
		RunE: func(c *cobra.Command, args []string) error {
			o.What = args[0]
			return runUndo(c.Context(), p, o)
		},
	}
	c.Flags().BoolVar(&o.Yes, "yes", false, "do it")
	c.Flags().BoolVar(&o.Downstream, "downstream", false, "take back the TASKs that depend on it, too")
	c.Flags().StringVar(&o.Session, "session", "", "`id` of the session in which the TASK landed; default any, on the branch of the config")
	c.Flags().BoolVar(&o.JSON, "json", false, "print JSON")
	return c
}

// runUndo holds the lock while it looks, too: the branch stands still meanwhile.
func runUndo(ctx context.Context, p *Process, o undoOptions) error {
	pr, err := p.project(ctx)
	if err != nil {
		return err
	}
	s, err := p.undoScope(ctx, pr, o)
	if err != nil {
		return err
	}
	lock, err := session.Acquire(pr.repo.CommonDir(), "undo", time.Now())
	if err != nil {
		return sessionFault(err)
	}
	defer lock.Release()
	repo, err := gitrepo.Open(ctx, gitrepo.Config{Dir: pr.repo.Root(), Branch: s.branch, Session: "undo"})
	if err != nil {
		return refusal(err)
	}
	s.branch = repo.Branch()
	err = s.undo(ctx, p, repo, o)
	return errors.Join(err, repo.Release(context.WithoutCancel(ctx)))
}

// undo takes back what the scope says, on a repository that nobody else works on.
func (s *undoScope) undo(ctx context.Context, p *Process, repo *gitrepo.Repo, o undoOptions) error {
	if o.Yes {
		if way, err := repo.Follow(ctx); err != nil {
			return err
		} else if len(way) > 0 {
			return behindBranch(way, o.typed())
		}
	}
	tip, err := repo.Tip(ctx)
	if err != nil {
		return err
	}
	chosen, err := s.choose(ctx, tip, o)
	if err != nil {
		return err
	}
	to, back, err := repo.Revert(ctx, tip, chosen, time.Now())
	if err != nil {
		return irrevertible(err, o)
	}
	way, err := repo.InTheWay(ctx, tip, to)
	if err != nil {
		return refusal(err)
	}
	var behind []string
	if o.Yes && len(way) == 0 && to != tip {
		way, behind, err = repo.Advance(ctx, tip, to)
		if err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return faultf(errUsage, "%v", err).then("%s", o.typed())
		}
	}
	if len(way) > 0 {
		return faultf(errBlocked, "%s of yours %s in the way; nothing was changed", strings.Join(way, ", "), areIn(len(way))).
			then("commit or move them, then `%s`", o.typed())
	}
	if err := p.showUndo(undone{s.branch, tip, to, back}, o); err != nil {
		return err
	}
	if len(behind) > 0 {
		return behindBranch(behind, o.typed())
	}
	return nil
}

// typed is the command as it was given, for an error's next line.
func (o undoOptions) typed() string {
	line := "pipeline undo " + o.What
	for _, flag := range []struct {
		text string
		set  bool
	}{{"--session " + o.Session, o.Session != ""}, {"--downstream", o.Downstream}, {"--yes", o.Yes}} {
		if flag.set {
			line += " " + flag.text
		}
	}
	return line
}

// irrevertible says what to do about a commit that does not come off.
func irrevertible(err error, o undoOptions) error {
	var stuck *gitrepo.RevertError
	if !errors.As(err, &stuck) {
		return refusal(err)
	}
	f := faultf(errUsage, "%v; nothing was changed", err)
	if later, ok := tasks.ParseID(stuck.With); ok && !stuck.Of(later) {
		return f.then("pipeline undo %s --yes, then again `%s`", later, o.typed())
	}
	return f.then("git revert %s, which shows you both sides", stuck.Commit.Short())
}
