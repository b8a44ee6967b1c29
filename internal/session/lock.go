package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/taskpipeline/pipeline/internal/crash"
)

const (
	lockFile  = "pipeline/lock"
	lockTries = 10                    // a reader that asks Held may have the lock for a moment
	lockPause = 20 * time.Millisecond // between tries
)

// Holder is who holds a repository's lock.
type Holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Started time.Time `json:"started"`
	Session string    `json:"session"`
}

// LockedError says that another run lives in the same repository.
type LockedError struct {
	Path   string
	Holder Holder // zero when it could not be read
}

func (e *LockedError) Error() string {
	if e.Holder.PID == 0 {
		return fmt.Sprintf("another run holds %s; `pipeline status` shows it", e.Path)
	}
	return fmt.Sprintf("another run holds %s: pid %d on %s, started %s, session %s; `pipeline status` shows it, `pipeline stop` ends it",
		e.Path, e.Holder.PID, e.Holder.Host, e.Holder.Started.Format(time.RFC3339), e.Holder.Session)
}

// Lock is held by the one live run of a repository.
type Lock struct {
	path string
	lock *flock.Flock
}

// LockPath is the path of a repository's lock; commonDir is what
// `git rev-parse --git-common-dir` says.
func LockPath(commonDir string) string { return filepath.Join(commonDir, filepath.FromSlash(lockFile)) }

// Acquire takes a repository's lock for a session and says so in it. The error
// is a *LockedError while another run lives; one that died without letting go
// is followed. now is when the run started.
func Acquire(commonDir, session string, now time.Time) (*Lock, error) {
	defer crash.Around("lock acquire")()
	path := LockPath(commonDir)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		l := &Lock{path: path, lock: flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))}
		ok, err := l.take()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if ok {
			host, _ := os.Hostname()
			return l, l.sign(Holder{PID: os.Getpid(), Host: host, Started: now.UTC(), Session: session})
		}
		if try == lockTries {
			holder, _ := readHolder(path)
			return nil, &LockedError{Path: path, Holder: holder}
		}
		time.Sleep(lockPause)
	}
}

// take locks the file and makes sure that it is still the one of that name: a
// holder that ends removes it while it is locked.
func (l *Lock) take() (bool, error) {
	ok, err := l.lock.TryLock()
	if err != nil || !ok {
		return false, err
	}
	mine, err := l.lock.Stat()
	if err != nil {
		return false, errors.Join(err, l.lock.Unlock())
	}
	named, err := os.Stat(l.path)
	if err != nil || !os.SameFile(mine, named) {
		return false, l.lock.Unlock()
	}
	return true, nil
}

// sign writes the holder into the locked file itself: a rename would leave the
// name to a file that is not locked.
func (l *Lock) sign(h Holder) error {
	defer crash.Around("lock sign")()
	b, err := json.Marshal(h)
	if err == nil {
		err = os.WriteFile(l.path, append(b, '\n'), 0o644)
	}
	if err != nil {
		return errors.Join(err, l.Release())
	}
	return nil
}

// Release gives the lock up and removes its file.
func (l *Lock) Release() error {
	defer crash.Around("lock release")()
	err := os.Remove(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	crash.At("between lock remove and unlock")
	return errors.Join(err, l.lock.Unlock())
}
