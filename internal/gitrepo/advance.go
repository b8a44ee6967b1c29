package gitrepo

import (
	"cmp"
	"context"
	"fmt"

	"github.com/taskpipeline/pipeline/stages"
)

// InTheWay are the paths that keep the user's checkout from following the target
// branch from one commit to another. It changes nothing.
func (r *Repo) InTheWay(ctx context.Context, from, to stages.Hash) ([]string, error) {
	r.land.Lock()
	defer r.land.Unlock()
	if from == to || !r.checkedOut() {
		return nil, nil
	}
	if m, ok := readMark(r.checkoutMark()); ok && m.task != "" {
		if err := r.checkClean(ctx); err != nil {
			return nil, refuse("pipeline resume "+m.session, "%s holds %s of session %s, which has not landed", r.root, m.task, m.session)
		}
	}
	return r.tryFollow(ctx, r.standsOn(from), to)
}

// Advance moves the target branch from one commit to another that stands on it,
// once and as a landing does: not at all if paths of the user's are blocked by
// it, and with the checkout behind if some came in the way meanwhile.
func (r *Repo) Advance(ctx context.Context, from, to stages.Hash) (blocked, behind []string, _ error) {
	r.land.Lock()
	defer r.land.Unlock()
	for try := 0; ; try++ {
		if err := r.stillAt(ctx, from, to); err != nil {
			return nil, nil, err
		}
		res, again, err := r.tryLand(ctx, stages.Landing{Candidate: to, Base: from})
		switch {
		case err == nil && res.Outcome == "blocked":
			return res.Paths, nil, nil
		case err == nil:
			return nil, res.Paths, nil
		case !again || try+1 == tries:
			return nil, nil, cmp.Or(r.stillAt(ctx, from, to), err)
		}
		if err := pause(ctx, try); err != nil {
			return nil, nil, err
		}
	}
}

// stillAt is an error when somebody else has moved the branch away.
func (r *Repo) stillAt(ctx context.Context, from, to stages.Hash) error {
	tip, err := r.Tip(ctx)
	if err != nil || tip == from || tip == to {
		return err
	}
	return fmt.Errorf("the branch %s moved meanwhile, from %s to %s; nothing was changed", r.Branch(), from.Short(), tip.Short())
}
