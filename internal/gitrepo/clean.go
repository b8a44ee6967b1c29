package gitrepo

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taskpipeline/pipeline/internal/crash"
	"github.com/taskpipeline/pipeline/stages"
)

// Leftover is what one session keeps in the repository.
type Leftover struct {
	Session   string
	Worktrees []string               // absolute paths
	Refs      map[string]stages.Hash // by TASK: its candidate; with .snapshot and .progress what is pinned of it
	Checkout  bool                   // isolation none: the checkout is on record as this session's
}

// Leftovers lists what sessions keep, by session id. Which of them are still
// needed is for the caller to say.
func (r *Reader) Leftovers(ctx context.Context) ([]Leftover, error) {
	refs, err := r.keptRefs(ctx, candidates)
	if err != nil {
		return nil, err
	}
	found := map[string]*Leftover{}
	of := func(session string) *Leftover {
		if found[session] == nil {
			found[session] = &Leftover{Session: session, Refs: map[string]stages.Hash{}}
		}
		return found[session]
	}
	for name, h := range refs {
		session, task, ok := strings.Cut(strings.TrimPrefix(name, candidates), "/")
		if ok {
			of(session).Refs[task] = h
		}
	}
	trees := filepath.Join(r.common, "pipeline", "worktrees")
	dirs, err := filepath.Glob(filepath.Join(trees, "*", "slot-*"))
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		l := of(filepath.Base(filepath.Dir(dir)))
		l.Worktrees = append(l.Worktrees, dir)
	}
	recorded, err := r.worktrees()
	if err != nil {
		return nil, err
	}
	for _, w := range recorded {
		if _, err := os.Lstat(w.dir); os.IsNotExist(err) && filepath.Dir(filepath.Dir(w.dir)) == trees {
			l := of(filepath.Base(filepath.Dir(w.dir)))
			l.Worktrees = append(l.Worktrees, w.dir) // git has a record of it still
		}
	}
	if m, ok := readMark(r.checkoutMark()); ok {
		of(m.session).Checkout = true
	}
	var out []Leftover
	for _, session := range slices.Sorted(maps.Keys(found)) {
		out = append(out, *found[session])
	}
	return out, nil
}

// Clean removes the worktrees and candidates of a session, and lets go of the
// checkout, whose files stay as they are. What has landed is on its branch and
// stays.
func (r *Reader) Clean(ctx context.Context, l Leftover) error {
	defer crash.Around("sweep")()
	for _, dir := range l.Worktrees {
		if err := r.removeWorktree(ctx, dir); err != nil {
			return err
		}
	}
	var b strings.Builder
	for _, task := range slices.Sorted(maps.Keys(l.Refs)) {
		b.WriteString("delete " + candidateRef(l.Session, task) + "\n")
	}
	if l.Checkout {
		if err := forget(r.checkoutMark()); err != nil {
			return err
		}
	}
	crash.At("before sweep of refs")
	if b.Len() > 0 {
		r.pack(ctx)
		// A git that is asked to end may leave the lock of a ref that nothing ever breaks.
		if _, err := r.git.feed(context.WithoutCancel(ctx), strings.NewReader(b.String()), "update-ref", "--stdin"); err != nil {
			return err
		}
	}
	for _, kind := range []string{"worktrees", "diffs", "indexes"} {
		crash.At("before sweep of", kind)
		if l.Session == "" || l.Session != filepath.Base(l.Session) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(r.common, "pipeline", kind, l.Session)); err != nil {
			return err
		}
	}
	return nil
}

// removeWorktree removes a linked worktree, files and record, however broken.
func (r *Reader) removeWorktree(ctx context.Context, dir string) error {
	defer crash.Around("worktree remove")()
	if info, err := os.Lstat(dir); err == nil && info.Mode()&os.ModeSymlink != 0 {
		// Git would follow it, and remove a worktree of the user's.
		if err := os.Remove(dir); err != nil {
			return err
		}
	}
	_, err := r.git.run(ctx, "worktree", "remove", "--force", "--force", dir)
	if err != nil && ctx.Err() != nil {
		return err
	}
	if _, statErr := os.Lstat(dir); os.IsNotExist(statErr) && err == nil {
		return nil
	}
	makeWritable(dir)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	recorded, err := r.worktrees()
	for _, w := range recorded {
		if w.dir == dir {
			err = errors.Join(err, os.RemoveAll(w.admin))
		}
	}
	return err
}
