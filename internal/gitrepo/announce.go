package gitrepo

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/taskpipeline/pipeline/internal/crash"
	"github.com/taskpipeline/pipeline/stages"
)

// landing is the record of a landing under way, written before the branch
// moves and removed when the checkout's files have followed. One that is left
// tells which commit the files stand on.
type landing struct {
	from stages.Hash // the files stand on it
	at   stages.Hash // the branch when the landing began
	to   stages.Hash // the branch when it has landed
}

func (r *Reader) landingMark() string { return filepath.Join(r.common, "pipeline", "landing") }

// announce records that the branch is about to move from at to to.
func (r *Repo) announce(at, to stages.Hash) error {
	return replace(r.landingMark(), strings.Join([]string{
		r.root, r.ref, string(r.standsOn(at)), string(at), string(to), "",
	}, "\n"))
}

// renewLanding dates the record anew: a lock that is there already is not that
// of a git which follows from now on.
func (r *Repo) renewLanding() error {
	b, err := os.ReadFile(r.landingMark())
	if err != nil {
		return err
	}
	return replace(r.landingMark(), string(b))
}

// announced reads the record, if it is about this checkout and branch.
func (r *Repo) announced() (landing, bool) {
	ref, m, ok := r.anyAnnounced()
	return m, ok && ref == r.ref
}

// anyAnnounced reads the record, if it is about this checkout; on whichever branch.
func (r *Reader) anyAnnounced() (ref string, _ landing, ok bool) {
	b, err := os.ReadFile(r.landingMark())
	if err != nil {
		return "", landing{}, false
	}
	f := strings.Split(string(b), "\n")
	if len(f) != 6 || f[0] != r.root {
		return "", landing{}, false
	}
	return f[1], landing{from: stages.Hash(f[2]), at: stages.Hash(f[3]), to: stages.Hash(f[4])}, true
}

// CutOff is the branch on which a landing was cut off or blocked, so that the
// files of the checkout may be behind it; ok is false if there is none.
func (r *Reader) CutOff() (branch string, ok bool) {
	ref, _, ok := r.anyAnnounced()
	return strings.TrimPrefix(ref, heads), ok
}

// IndexLock is the path of the checkout's index.lock, "" if there is none: git is
// at work there, or was killed.
func (r *Reader) IndexLock() string {
	path := filepath.Join(r.gitDir, "index.lock")
	if _, err := os.Lstat(path); err != nil {
		return ""
	}
	return path
}

func (r *Repo) forgetLanding() error {
	defer crash.Around("forget landing")()
	return forget(r.landingMark())
}

// standsOn is the commit that the files of the checkout stand on: the tip,
// unless they are behind it.
func (r *Repo) standsOn(tip stages.Hash) stages.Hash {
	if m, ok := r.announced(); ok && (m.at == tip || m.to == tip) {
		return m.from
	}
	return tip
}
