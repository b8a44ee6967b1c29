package gitrepo

import (
	"os"
	"path/filepath"
	"strings"

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

func (r *Repo) landingMark() string { return filepath.Join(r.pipelineDir(), "landing") }

// announce records that the branch is about to move from at to to.
func (r *Repo) announce(at, to stages.Hash) error {
	return replace(r.landingMark(), strings.Join([]string{
		r.root, r.ref, string(r.standsOn(at)), string(at), string(to), "",
	}, "\n"))
}

// announced reads the record, if it is about this checkout and branch.
func (r *Repo) announced() (landing, bool) {
	b, err := os.ReadFile(r.landingMark())
	if err != nil {
		return landing{}, false
	}
	f := strings.Split(string(b), "\n")
	if len(f) != 6 || f[0] != r.root || f[1] != r.ref {
		return landing{}, false
	}
	return landing{from: stages.Hash(f[2]), at: stages.Hash(f[3]), to: stages.Hash(f[4])}, true
}

func (r *Repo) forgetLanding() error { return ignoreMissing(os.Remove(r.landingMark())) }

// standsOn is the commit that the files of the checkout stand on: the tip,
// unless they are behind it.
func (r *Repo) standsOn(tip stages.Hash) stages.Hash {
	if m, ok := r.announced(); ok && (m.at == tip || m.to == tip) {
		return m.from
	}
	return tip
}
