package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/internal/mirror"
)

func rebuildCommand(p *Process) *cobra.Command {
	return &cobra.Command{
		Use:   "rebuild",
		Short: "Make the database that `query` reads again, from the sessions' files",
		Long: `Make .pipeline/pipeline.db again from the sessions' files alone. It is never
needed for anything but a mirror that was damaged: runs and queries keep it up to
date, and make it when it is not there.

Of a session whose events.jsonl is gone or does not hold, sends, envelopes and
agent sessions are taken from its agents' own files; what is missing is told.`,
		Example: "  pipeline rebuild",
		GroupID: groupSetUp,
		Args:    atMost(0),
		RunE:    func(c *cobra.Command, _ []string) error { return runRebuild(c.Context(), p) },
	}
}

func runRebuild(ctx context.Context, p *Process) error {
	pr, err := p.project(ctx)
	if err != nil {
		return err
	}
	if _, err := os.Stat(pr.store.Dir); err != nil {
		return faultf(errNothing, "there is no session in %s yet", pr.repo.Root()).then("pipeline run")
	}
	m := mirror.Of(pr.store)
	r, err := m.Rebuild(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s: %s, %s\n", p.typed(m.Path()), plural(r.Sessions, "session"), plural(r.Events, "event"))
	for _, problem := range r.Problems {
		p.warn(fmt.Sprintf("session %s: %s", problem.Session, problem.Text), "")
	}
	return nil
}

// mirrorLimit is how long a run that is over waits for its mirror.
const mirrorLimit = 10 * time.Second

// mirror brings the database that `query` reads up to date, once all else is
// done. Nothing depends on it, so that a failure is only told.
func (b *build) mirror(ctx context.Context) {
	if b.session == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mirrorLimit)
	defer cancel()
	m := mirror.Of(b.project.store)
	r, err := m.Update(ctx)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("it took longer than %s", mirrorLimit)
		}
		b.p.warn(fmt.Sprintf("%s is behind: %v; the next query brings it up to date", b.p.typed(m.Path()), err), "")
		return
	}
	b.p.warnReplaced(m, r)
}
