package gitrepo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/taskpipeline/pipeline/internal/crash"
	"github.com/taskpipeline/pipeline/internal/proc"
)

// prepare runs the prepare lines in a slot that has not seen them yet, or not
// with what tree holds at the paths of PrepareKey.
func (r *Repo) prepare(ctx context.Context, s *slot, tree plumbing.Hash) (ran bool, _ error) {
	if len(r.cfg.Prepare) == 0 || r.cfg.Isolation == None {
		return false, nil
	}
	if err := r.linkShared(s); err != nil {
		return false, err
	}
	key, err := r.prepareKey(tree)
	if err != nil {
		return false, err
	}
	if b, err := os.ReadFile(s.prepared()); err == nil && string(b) == key {
		return false, nil
	}
	// Lines of which one fails leave a slot that is neither as before nor ready.
	if err := ignoreMissing(os.Remove(s.prepared())); err != nil {
		return false, err
	}
	defer crash.Around("workspace prepare")()
	for _, line := range r.cfg.Prepare {
		if err := s.runLine(ctx, line); err != nil {
			return false, err
		}
	}
	return true, replace(s.prepared(), key)
}

// prepared is the file that says with which key the prepare lines ran last.
func (s *slot) prepared() string { return filepath.Join(s.admin, "prepared") }

func (s *slot) runLine(ctx context.Context, line string) error {
	var said head
	end, err := proc.Run(ctx, proc.Command{
		Argv: []string{"sh", "-c", line}, Dir: s.dir, Env: environment(), Stdout: &said, Stderr: &said,
	})
	if err == nil && !end.OK() {
		err = fmt.Errorf("%s\n%s", end, strings.TrimSpace(said.text()))
	}
	if err != nil {
		return fmt.Errorf("prepare %q in %s: %w", line, s.dir, err)
	}
	return nil
}

// prepareKey is what prepare depends on: its lines, and what a tree holds at the
// paths of PrepareKey. A directory stands for all that is in it.
func (r *Repo) prepareKey(tree plumbing.Hash) (string, error) {
	sum := sha256.New()
	for _, line := range r.cfg.Prepare {
		fmt.Fprintf(sum, "run %q\n", line)
	}
	for _, p := range r.cfg.PrepareKey {
		l, err := r.objects.lookup(tree, path.Clean(p))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "with %q %o %s\n", p, l.mode, l.hash)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// doubtPrepared has prepare run again in a slot in which somebody changed what
// it depends on: what they installed on top is ignored, and stays when the slot
// moves on to a tree that looks as if nothing had happened.
func (r *Repo) doubtPrepared(ctx context.Context, s *slot) error {
	if len(r.cfg.PrepareKey) == 0 {
		return nil
	}
	if _, err := os.Lstat(s.prepared()); err != nil {
		return ignoreMissing(err)
	}
	head, err := os.ReadFile(filepath.Join(s.admin, "HEAD"))
	if err == nil && strings.TrimSpace(string(head)) == s.base {
		args := []string{"status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--"}
		out, err := s.git.with("GIT_LITERAL_PATHSPECS=1").run(ctx, append(args, r.cfg.PrepareKey...)...)
		if err == nil && len(out) == 0 {
			return nil
		}
		// An index that cannot be read is one more reason for doubt.
	}
	return ignoreMissing(os.Remove(s.prepared()))
}
