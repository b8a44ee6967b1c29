package cli

import (
	"context"
	"fmt"

	"github.com/taskpipeline/pipeline/internal/gitrepo"
	"github.com/taskpipeline/pipeline/internal/session"
)

const mending = "pipeline doctor --fix"

// leftovers is what earlier runs have left, and whether one is live.
func (p *Process) leftovers(ctx context.Context, pr *project) []finding {
	if pr == nil {
		return nil
	}
	holder, live, err := session.Held(pr.repo.CommonDir())
	switch {
	case err != nil:
		return []finding{failing("lock", err)}
	case live:
		return []finding{{Check: "lock", State: warned, Text: fmt.Sprintf("session %s runs here (pid %d)", holder.Session, holder.PID), Fix: "pipeline status"}}
	}
	var all []finding
	warn := func(check, fix, format string, a ...any) {
		all = append(all, finding{Check: check, State: warned, Text: fmt.Sprintf(format, a...), Fix: fix})
	}
	if dead, ok, err := session.Left(pr.repo.CommonDir()); err == nil && ok {
		warn("lock", mending, "session %s was killed (pid %d) and has left its lock", dead.Session, dead.PID)
	}
	if branch, ok := pr.repo.CutOff(); ok {
		warn("checkout", mending, "a landing on %s was cut off; files may be behind it", branch)
	} else if lock := pr.repo.IndexLock(); lock != "" {
		warn("index", "delete it if no git is at work here", "%s is there: git is at work, or was killed", p.typed(lock))
	}
	sessions, err := pr.store.List()
	if err != nil {
		return append(all, failing("sessions", err))
	}
	for _, s := range sessions {
		if s.State == session.Broken {
			warn("session", "pipeline check "+s.ID, "%s: %s", s.ID, s.Problem)
		}
	}
	left, err := pr.repo.Leftovers(ctx)
	if err != nil {
		return append(all, failing("leftovers", err))
	}
	for _, l := range left {
		if needed, err := pr.needed(l.Session, true); err == nil && !needed {
			warn("leftovers", "pipeline clean", "session %s needs no more its %s", l.Session, kept(l))
		}
	}
	if all == nil {
		all = []finding{{Check: "leftovers", State: fine, Text: "none"}}
	}
	return all
}

// kept is what a session keeps in the repository.
func kept(l gitrepo.Leftover) string {
	text := plural(len(l.Worktrees), "worktree") + " and " + plural(len(l.Refs), "ref")
	if l.Checkout {
		text += ", and its mark on the checkout"
	}
	return text
}
