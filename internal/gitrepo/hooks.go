package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
)

// CommitHooks runs the repository's pre-commit and commit-msg hooks over what
// is about to become a candidate, and returns its message as commit-msg left it.
// They run in the TASK's workspace, which holds the candidate's files for that
// time, with an index of their own that holds its tree. A *Fault is a hook that
// refused, or one that changed files: what lands is what was verified.
func (r *Repo) CommitHooks(ctx context.Context, c stages.Candidate) (string, error) {
	message, err := r.commitHooks(ctx, c)
	if fault := (*stages.Fault)(nil); err != nil && !errors.As(err, &fault) {
		err = fmt.Errorf("commit hooks for %s: %w", c.Task, err)
	}
	return message, err
}

func (r *Repo) commitHooks(ctx context.Context, c stages.Candidate) (_ string, err error) {
	tree, err := r.candidateTree(c)
	if err != nil {
		return "", err
	}
	s, putBack, err := r.lend(ctx, c, tree)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, putBack()) }()
	h, err := r.hooksFor(ctx, s, c, tree)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(h.own)
	checked, err := h.run(ctx, "pre-commit")
	if err != nil {
		return "", err
	}
	message, worded, err := h.word(ctx, cleanMessage(c.Message))
	if err != nil || !checked && !worded {
		return message, err
	}
	changed, err := r.changedByHooks(ctx, h, tree)
	if err != nil || len(changed) == 0 {
		return message, err
	}
	return "", &stages.Fault{
		Reason: "a commit hook changed " + changed[0],
		Details: []dispatch.Failure{{
			Check: "pre-commit", Error: "a commit hook changed files; what lands is what was verified, so its changes were dropped",
			Files: changed, Fix: "make these changes as part of the work",
		}},
	}
}

// lend brings a TASK's workspace to the files of a candidate. putBack gives it
// back as it was, on the base it stood on: whoever opens it next finds what the
// stage before the committer left.
func (r *Repo) lend(ctx context.Context, c stages.Candidate, tree plumbing.Hash) (_ *slot, putBack func() error, _ error) {
	base, files := string(c.Parent), plumbing.NewHash(string(c.Tree))
	if s := r.held(string(c.Task)); s != nil && r.intact(s) == nil {
		if now, err := r.scanTree(ctx, s); err == nil {
			base, files = s.base, now.tree
		}
	}
	s, _, err := r.exact(ctx, stages.Lease{Task: c.Task, Base: c.Parent, Tree: stages.Hash(tree.String())})
	if err != nil {
		return nil, nil, err
	}
	return s, func() error { return r.stand(context.WithoutCancel(ctx), s, base, files) }, nil
}

// hooksFor makes ready what the hooks of one candidate run with.
func (r *Repo) hooksFor(ctx context.Context, s *slot, c stages.Candidate, tree plumbing.Hash) (*hooks, error) {
	dir, err := s.git.line(ctx, "rev-parse", "--git-path", "hooks") // core.hooksPath, if that is set
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.dir, dir)
	}
	own, err := r.ownIndex()
	if err != nil {
		return nil, err
	}
	h := &hooks{dir: dir, limit: r.cfg.HookLimit, slot: s, own: own}
	h.env = []string{
		"GIT_INDEX_FILE=" + h.index(), "GIT_EDITOR=:",
		"GIT_AUTHOR_NAME=" + r.ident.author.Name, "GIT_AUTHOR_EMAIL=" + r.ident.author.Email,
		"GIT_AUTHOR_DATE=" + c.Time.UTC().Format(time.RFC3339),
	}
	// With what git knows of the files already, it need not read them all again.
	if b, err := os.ReadFile(s.index()); err == nil {
		if err := os.WriteFile(h.index(), b, 0o600); err != nil {
			return nil, err
		}
	}
	if _, err := h.git().run(ctx, "read-tree", "--reset", tree.String()); err != nil {
		return nil, err
	}
	// It ends with 1 when a file differs, which is for the hooks to judge.
	if _, err := h.git().run(ctx, "update-index", "-q", "--refresh"); err != nil && !exited(err, 1) {
		return nil, err
	}
	return h, nil
}

// changedByHooks are the paths that the index or the workspace hold otherwise
// than the tree they were given.
func (r *Repo) changedByHooks(ctx context.Context, h *hooks, tree plumbing.Hash) ([]string, error) {
	staged, err := h.git().line(ctx, "write-tree")
	if complaint(err) != "" {
		return nil, stages.Faultf("a commit hook left an index that git does not take: %s", complaint(err))
	}
	if err != nil {
		return nil, err
	}
	now, err := r.scanTree(ctx, h.slot)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, got := range []plumbing.Hash{plumbing.NewHash(staged), now.tree} {
		deltas, err := r.objects.diff(tree, got)
		if err != nil {
			return nil, err
		}
		for _, d := range deltas {
			paths = append(paths, strings.ToValidUTF8(d.path, "\uFFFD"))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}
