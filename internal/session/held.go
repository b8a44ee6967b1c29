package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"
)

// maxHolder bounds what is read of a lock's file.
const maxHolder = 4 << 10

// Held tells whether a run lives in a repository, and who it is. It writes
// nothing and makes nobody wait; a file left by a run that was killed does not
// count.
func Held(commonDir string) (Holder, bool, error) {
	path := LockPath(commonDir)
	h, err := readHolder(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Holder{}, false, nil
	}
	if err != nil {
		return Holder{}, false, err
	}
	if host, _ := os.Hostname(); h.PID > 0 && h.Host == host && gone(h.PID) {
		return Holder{}, false, nil
	}
	// The pid may have been given to another program since, so the lock itself
	// has the last word: asked for, shared, and given back at once.
	probe := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := probe.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return Holder{}, false, nil
	}
	if err != nil {
		return Holder{}, false, fmt.Errorf("lock %s: %w", path, err)
	}
	if free {
		return Holder{}, false, probe.Unlock()
	}
	return h, true, probe.Close()
}

// Left is who left a repository's lock behind without giving it up: a run that was
// killed. It is no obstacle to the next. ok is false if there is none.
func Left(commonDir string) (h Holder, ok bool, _ error) {
	h, err := readHolder(LockPath(commonDir))
	if errors.Is(err, fs.ErrNotExist) {
		return Holder{}, false, nil
	}
	if err != nil {
		return Holder{}, false, err
	}
	_, live, err := Held(commonDir)
	return h, err == nil && !live, err
}

// readHolder reads what a holder wrote; a holder that is about to write is the
// zero Holder.
func readHolder(path string) (Holder, error) {
	b, err := readInside(filepath.Dir(path), filepath.Base(path), maxHolder)
	if err != nil {
		return Holder{}, err
	}
	var h Holder
	if json.Unmarshal(b, &h) != nil {
		return Holder{}, nil
	}
	return h, nil
}

func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
