package gitrepo

import (
	"context"
	"errors"
	"os"

	"github.com/taskpipeline/pipeline/internal/crash"
	"github.com/taskpipeline/pipeline/stages"
)

// handOver gives the checkout, with isolation none, from a TASK that waits or has
// FAILED to the next one. What lies in it is kept as a tree; bringing the
// checkout to where the next one begins is for whoever opens it.
func (r *Repo) handOver(ctx context.Context, s *slot, task string) error {
	defer crash.Around("hand over")()
	tip, err := r.Tip(ctx)
	if err != nil {
		return err
	}
	// The branch may have moved on since that TASK began.
	if err := r.mend(ctx, s, string(tip)); err != nil {
		return err
	}
	now, err := r.scanTree(ctx, s)
	if err != nil {
		return err
	}
	left := stages.Hash(now.tree.String())
	if err := r.pin(s.task, pinLeft, left); err != nil {
		return err
	}
	r.log.Info("the checkout goes over to another TASK", "from", s.task, "to", task, "left", string(left))
	r.mu.Lock()
	defer r.mu.Unlock()
	s.task = task
	return mark{session: r.cfg.Session, task: task, base: s.base}.write(s.mark)
}

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
