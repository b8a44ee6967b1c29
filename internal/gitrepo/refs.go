package gitrepo

import (
	"context"
	"path"
	"strings"

	"github.com/taskpipeline/pipeline/internal/crash"
	"github.com/taskpipeline/pipeline/stages"
)

const (
	heads      = "refs/heads/"
	candidates = "refs/pipeline/"
)

// candidateRef keeps the candidate of a TASK from being collected.
func candidateRef(session, task string) string { return candidates + session + "/" + task }

// What is pinned of a TASK beside its candidate.
const (
	pinTree     = ".snapshot" // the tree that its builder left, or that a landing merged
	pinChange   = ".change"   // its first candidate, which is merged onto whatever it is put on
	pinProgress = ".progress" // progress.md, where it is not part of that tree
	pinLeft     = ".left"     // what a TASK's workspace held that was put aside: for another TASK, or a retry
)

// pin keeps an object of a TASK from being collected: a TASK may wait for
// longer than git keeps what nothing points at.
func (r *Repo) pin(task, what string, h stages.Hash) error {
	if h == "" {
		return nil
	}
	defer crash.Around("pin", what)()
	return r.refs.move(candidateRef(r.cfg.Session, task)+what, string(h), "")
}

// Kept lists the candidates that a session keeps, by TASK.
func (r *Reader) Kept(ctx context.Context, session string) (map[string]stages.Hash, error) {
	refs, err := r.keptRefs(ctx, candidates+session+"/")
	if err != nil {
		return nil, err
	}
	out := make(map[string]stages.Hash, len(refs))
	for name, h := range refs {
		if task := path.Base(name); path.Ext(task) == "" {
			out[task] = h
		}
	}
	return out, nil
}

// keptRefs lists refs by their full names; prefix ends in a slash.
func (r *Reader) keptRefs(ctx context.Context, prefix string) (map[string]stages.Hash, error) {
	out, err := r.git.run(ctx, "for-each-ref", "--format=%(objectname) %(refname)", prefix)
	if err != nil {
		return nil, err
	}
	refs := map[string]stages.Hash{}
	for line := range strings.Lines(string(out)) {
		h, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs[name] = stages.Hash(h)
	}
	return refs, nil
}
