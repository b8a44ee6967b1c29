package gitrepo

import (
	"context"
	"errors"
	"os"
)

// checkLeft looks, with isolation none, at a checkout in which an earlier run
// left a TASK. It is gone on with only if it is clean, or holds exactly the
// snapshot that was recorded of that TASK: whatever else lies there may be the
// user's, and is never put back.
func (r *Repo) checkLeft(ctx context.Context) error {
	if r.cfg.Isolation != None || r.slots[0].task == "" {
		return nil
	}
	if _, err := os.Lstat(r.landingMark()); err == nil {
		return nil // Follow finishes that
	}
	s := r.slots[0]
	recorded, ok, err := r.objects.ref(candidateRef(r.cfg.Session, s.task) + pinTree)
	if err != nil {
		return err
	}
	if ok {
		if now, err := r.scanTree(ctx, s); err == nil && now.tree == recorded {
			return nil
		}
	}
	err = r.checkClean(ctx)
	if refusal := (*Refusal)(nil); errors.As(err, &refusal) {
		refusal.What += ", which you or " + s.task + " have left"
		refusal.Next = "commit what is yours, restore the rest, and run again"
	}
	return err
}
