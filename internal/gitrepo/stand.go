package gitrepo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/taskpipeline/pipeline/internal/crash"
)

// stand makes a slot hold exactly tree, with HEAD detached at base: index,
// files, and nothing untracked but what is ignored.
func (r *Repo) stand(ctx context.Context, s *slot, base string, tree plumbing.Hash) error {
	s.base = base
	if err := (mark{session: r.cfg.Session, task: s.task, base: base}).write(s.mark); err != nil {
		return err
	}
	if r.cfg.Isolation == None {
		return r.standInCheckout(ctx, s, base, tree)
	}
	if err := s.forgetWork(); err != nil {
		return err
	}
	if err := replace(filepath.Join(s.admin, "HEAD"), base+"\n"); err != nil {
		return err
	}
	err := r.bring(ctx, s, tree)
	if err != nil && ctx.Err() == nil {
		makeWritable(s.dir)
		err = r.bring(ctx, s, tree)
	}
	if err != nil {
		return err
	}
	return s.lendIndex()
}

// bring makes the files of a slot those of tree, whatever else lies there.
func (r *Repo) bring(ctx context.Context, s *slot, tree plumbing.Hash) error {
	if err := r.dropRules(s, tree); err != nil {
		return err
	}
	if err := s.checkOut(ctx, tree); err != nil {
		return err
	}
	attributes, err := s.clean(ctx)
	if err != nil || !attributes {
		return err
	}
	// Those that are gone now had their say in what was checked out.
	if err := ignoreMissing(os.Remove(s.index())); err != nil {
		return err
	}
	return s.checkOut(ctx, tree)
}

// checkOut brings index and files to tree by what differs.
func (s *slot) checkOut(ctx context.Context, tree plumbing.Hash) error {
	defer crash.Around("workspace read-tree")()
	_, err := s.git.run(ctx, "read-tree", "--reset", "-u", tree.String())
	if err == nil || ctx.Err() != nil {
		return err
	}
	// An index that cannot be read any more is made again.
	if err := ignoreMissing(os.Remove(s.index())); err != nil {
		return err
	}
	_, err = s.git.run(ctx, "read-tree", "--reset", "-u", tree.String())
	return err
}

// mend leaves the files of a slot and sees to it that HEAD is base again, on
// no branch: an agent may have committed, switched, merged or been killed.
func (r *Repo) mend(ctx context.Context, s *slot, base string) error {
	if r.cfg.Isolation == None {
		tip, err := r.Tip(ctx)
		if err != nil {
			return err
		}
		if string(tip) != base || !r.checkedOut() {
			return fmt.Errorf("isolation none: %s does not stand on %.7s any more but on %s; undo that commit or switch back, then resume",
				r.root, base, tip.Short())
		}
		s.base = base
		return nil
	}
	head, err := os.ReadFile(filepath.Join(s.admin, "HEAD"))
	if err == nil && strings.TrimSpace(string(head)) == base {
		s.base = base
		if _, err := os.Lstat(s.index()); err == nil {
			return s.unlock()
		}
	} else {
		r.log.Warn("HEAD of a workspace had moved and was put back; its files are as they were",
			"task", s.task, "head", strings.TrimSpace(string(head)), "base", base)
	}
	if err := s.forgetWork(); err != nil {
		return err
	}
	if err := replace(filepath.Join(s.admin, "HEAD"), base+"\n"); err != nil {
		return err
	}
	if _, err := s.git.run(ctx, "reset", "-q", "--mixed"); err != nil {
		return err
	}
	s.base = base
	if err := (mark{session: r.cfg.Session, task: s.task, base: base}).write(s.mark); err != nil {
		return err
	}
	return s.lendIndex()
}

// unlock removes a lock that a killed git left; nobody works in the slot now.
func (s *slot) unlock() error {
	for _, name := range []string{"index.lock", "pipeline.index.lock", "HEAD.lock"} {
		if err := ignoreMissing(os.Remove(filepath.Join(s.admin, name))); err != nil {
			return err
		}
	}
	return nil
}

// forgetWork ends whatever merge, rebase or bisect was begun in the slot, and
// forgets which of the files there should be.
func (s *slot) forgetWork() error {
	for _, name := range []string{
		"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "CHERRY_PICK_HEAD", "REVERT_HEAD",
		"rebase-merge", "rebase-apply", "sequencer", "BISECT_LOG", "BISECT_START",
		"config.worktree", "info/sparse-checkout",
	} {
		if err := os.RemoveAll(filepath.Join(s.admin, name)); err != nil {
			return err
		}
	}
	return s.unlock()
}

// standInCheckout brings the user's checkout to tree without the index that
// the user sees: what differs is an earlier attempt's, because the checkout
// was clean when the session began. That state stays readable as a tree.
func (r *Repo) standInCheckout(ctx context.Context, s *slot, base string, tree plumbing.Hash) error {
	if err := r.mend(ctx, s, base); err != nil {
		return err
	}
	now, err := r.scanTree(ctx, s)
	if err != nil {
		return err
	}
	if now.tree == tree {
		return nil
	}
	r.log.Info("the checkout leaves the state of an earlier attempt", "task", s.task, "tree", now.tree.String())
	defer crash.Around("checkout stand")()
	index := r.checkoutIndex()
	git := s.git.with("GIT_INDEX_FILE=" + index)
	defer os.Remove(index)
	if _, err := git.run(ctx, "read-tree", now.tree.String()); err != nil {
		return err
	}
	crash.At("before checkout stand read-tree")
	_, err = git.run(ctx, "read-tree", "--reset", "-u", tree.String())
	return err
}
