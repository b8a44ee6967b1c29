package gitrepo

import (
	"context"
	"fmt"
	"time"

	"github.com/taskpipeline/pipeline/internal/crash"
	"github.com/taskpipeline/pipeline/stages"
)

// tries is how often a lock held by somebody else is waited for.
const tries = 5

// Land puts a candidate on the target branch, one at a time. The branch moves
// only by compare-and-swap, and only when the user's checkout, if it stands on
// that branch, can follow without losing anything that is not committed. With
// Onto set no branch is looked at, and none moves.
func (r *Repo) Land(ctx context.Context, l stages.Landing) (stages.LandingResult, error) {
	r.land.Lock()
	defer r.land.Unlock()
	if l.Change == "" {
		l.Change, l.ChangeBase = l.Candidate, l.Base
	}
	if l.Onto != "" {
		res, err := r.merge(ctx, l, l.Onto)
		if err != nil {
			return stages.LandingResult{}, fmt.Errorf("putting %s on the candidate of %s: %w", l.Task, l.Below, err)
		}
		if res.Outcome == "conflict" {
			res.Outcome = "unfit"
		}
		return res, nil
	}
	for try := 0; ; try++ {
		res, again, err := r.tryLand(ctx, l)
		if err == nil && !again {
			return res, nil
		}
		if !again || try+1 == tries {
			if err == nil {
				err = fmt.Errorf("the branch %s moved %d times meanwhile; resume to go on", r.Branch(), tries)
			}
			return stages.LandingResult{}, fmt.Errorf("landing %s: %w", l.Task, err)
		}
		if err := pause(ctx, try); err != nil {
			return stages.LandingResult{}, err
		}
	}
}

// pause waits a little longer each time.
func pause(ctx context.Context, try int) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(20 * time.Millisecond << (2 * try)):
		return nil
	}
}

// tryLand is one try; again says that somebody else was in the way.
func (r *Repo) tryLand(ctx context.Context, l stages.Landing) (_ stages.LandingResult, again bool, _ error) {
	var none stages.LandingResult
	tip, err := r.Tip(ctx)
	if err != nil {
		return none, false, err
	}
	if back, err := r.movedBack(ctx, tip); err != nil || back {
		if err == nil {
			err = fmt.Errorf("%s does not hold %s any more: somebody moved the branch back; another run looks at what is missing, and goes on", r.Branch(), r.known.Short())
		}
		return none, false, err
	}
	if l.Unverified || tip != l.Base {
		res, err := r.landOnMoved(ctx, l, tip)
		return res, false, err
	}
	if r.checkedOut() {
		way, err := r.tryFollow(ctx, r.standsOn(tip), l.Candidate)
		if err != nil {
			return none, locked(err), err
		}
		if len(way) > 0 {
			return stages.LandingResult{Outcome: "blocked", Paths: way}, false, nil
		}
		if err := r.announce(tip, l.Candidate); err != nil {
			return none, false, err
		}
	}
	// From here on a cancelled run is finished, not cut off.
	ctx = context.WithoutCancel(ctx)
	crash.At("before branch move")
	if err := r.refs.move(r.ref, string(l.Candidate), string(tip)); err != nil {
		if r.standsOn(tip) == tip {
			_ = r.forgetLanding() // it did not begin; one left would only be said to be stale
		}
		now, tipErr := r.Tip(ctx)
		moved := tipErr == nil && now != tip
		return none, moved || locked(err), err
	}
	crash.At("after branch move")
	res, err := r.landed(ctx, l)
	return res, false, err
}

// landOnMoved is the landing of what does not stand on the branch's tip, or must
// not land as it stands there.
func (r *Repo) landOnMoved(ctx context.Context, l stages.Landing, tip stages.Hash) (none stages.LandingResult, _ error) {
	if !l.Unverified {
		if landed, err := r.Reachable(ctx, l.Candidate, tip); err != nil {
			return none, err
		} else if landed {
			return r.landed(ctx, l)
		}
	}
	return r.merge(ctx, l, tip)
}

// movedBack tells whether the branch has lost a commit in the course of this run.
// What it had lost before, the run has taken account of when it began.
func (r *Repo) movedBack(ctx context.Context, tip stages.Hash) (bool, error) {
	holds, err := r.Reachable(ctx, r.known, tip)
	return !holds, err
}

// landed finishes what follows the branch: the checkout, and files that are
// not committed.
func (r *Repo) landed(ctx context.Context, l stages.Landing) (stages.LandingResult, error) {
	tree, err := r.Tree(l.Candidate)
	if err != nil {
		return stages.LandingResult{}, err
	}
	if r.known, err = r.Tip(ctx); err != nil {
		return stages.LandingResult{}, err
	}
	res := stages.LandingResult{Outcome: "landed", Commit: l.Candidate, Tree: tree}
	if res.Paths, err = r.catchUp(ctx, false); err != nil {
		return stages.LandingResult{}, err
	}
	return res, r.deliverOutside(string(l.Task))
}
