package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/taskpipeline/pipeline/internal/gitrepo"
	"github.com/taskpipeline/pipeline/internal/session"
)

// mend undoes what killed runs have left, as far as it is ours and nobody needs
// it, and tells each thing it did. What it leaves, the checks say.
func (p *Process) mend(ctx context.Context) (did []finding, err error) {
	pr, err := p.project(ctx)
	if err != nil {
		return nil, nil // the check of the repository says so
	}
	dead, wasLeft, err := session.Left(pr.repo.CommonDir())
	if err != nil {
		return nil, err
	}
	// Who takes the lock of a dead run removes it when done.
	lock, err := session.Acquire(pr.repo.CommonDir(), "doctor", time.Now())
	if err != nil {
		return nil, sessionFault(err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	tell := func(check, format string, a ...any) {
		did = append(did, finding{Check: check, State: mended, Text: fmt.Sprintf(format, a...)})
	}
	if wasLeft {
		tell("lock", "removed the lock that session %s left (pid %d)", dead.Session, dead.PID)
	}
	if branch, ok := pr.repo.CutOff(); ok {
		way, err := pr.finishLanding(ctx, branch)
		switch {
		case err != nil:
			did = append(did, failing("checkout", refusal(err)))
		case len(way) > 0:
			did = append(did, finding{Check: "checkout", State: warned,
				Text: fmt.Sprintf("%s of yours %s in the way of following %s", strings.Join(way, ", "), areIn(len(way)), branch), Fix: "commit or move it"})
		default:
			tell("checkout", "finished the landing on %s that was cut off", branch)
		}
	}
	swept, err := pr.sweep(ctx, true)
	for _, l := range swept {
		tell("leftovers", "removed %s of session %s", kept(l), l.Session)
	}
	return did, err
}

// finishLanding brings the checkout to its branch after a landing was cut off.
// The paths are those of the user's that are in the way.
func (pr *project) finishLanding(ctx context.Context, branch string) (way []string, err error) {
	repo, err := gitrepo.Open(ctx, gitrepo.Config{Dir: pr.repo.Root(), Branch: branch, Session: "doctor"})
	if err != nil {
		return nil, err
	}
	way, err = repo.Follow(ctx)
	return way, errors.Join(err, repo.Release(context.WithoutCancel(ctx)))
}
