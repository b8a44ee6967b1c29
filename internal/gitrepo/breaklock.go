package gitrepo

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// followsWithin is how soon after the record of a landing the git that follows
// it has its lock. A lock made later is somebody else's: an editor of `git
// commit -a` holds one as long as a person writes.
const followsWithin = time.Minute

// breakLock removes the index lock of a git that was killed while it followed:
// it was made right after the record of that landing and stays the same for a
// while.
func (r *Repo) breakLock(ctx context.Context) error {
	lock := filepath.Join(r.gitDir, "index.lock")
	begun, err := os.Stat(r.landingMark())
	if err != nil {
		return ignoreMissing(err)
	}
	for range 20 {
		held, err := os.Stat(lock)
		if err != nil {
			return ignoreMissing(err)
		}
		if after := held.ModTime().Sub(begun.ModTime()); after < 0 || after > followsWithin {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
	return ignoreMissing(os.Remove(lock))
}
