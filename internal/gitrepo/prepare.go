package gitrepo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// prepare runs the prepare lines in a slot that has not seen them yet.
func (r *Repo) prepare(ctx context.Context, s *slot) (ran bool, _ error) {
	if len(r.cfg.Prepare) == 0 || r.cfg.Isolation == None {
		return false, nil
	}
	if err := r.linkShared(s); err != nil {
		return false, err
	}
	sum := sha256.Sum256([]byte(strings.Join(r.cfg.Prepare, "\x00")))
	key := hex.EncodeToString(sum[:])
	done := filepath.Join(s.admin, "prepared")
	if b, err := os.ReadFile(done); err == nil && string(b) == key {
		return false, nil
	}
	for _, line := range r.cfg.Prepare {
		cmd := exec.CommandContext(ctx, "sh", "-c", line)
		cmd.Dir = s.dir
		cmd.Env = environment()
		cmd.WaitDelay = 10 * time.Second
		var said head
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Run(); err != nil {
			if ctx.Err() != nil {
				return false, context.Cause(ctx)
			}
			return false, fmt.Errorf("prepare %q in %s: %w\n%s", line, s.dir, err, strings.TrimSpace(said.String()))
		}
	}
	return true, replace(done, key)
}

// linkShared puts a symlink for each shared path that the checkout has and the
// workspace has not.
func (r *Repo) linkShared(s *slot) error {
	for _, rel := range r.cfg.Link {
		rel = filepath.FromSlash(rel)
		if !filepath.IsLocal(rel) {
			return fmt.Errorf("link %q does not stay inside the repository; name a path below its root", rel)
		}
		from, to := filepath.Join(r.root, rel), filepath.Join(s.dir, rel)
		if _, err := os.Stat(from); err != nil {
			continue
		}
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(from, to); err != nil {
			return err
		}
	}
	return nil
}

// isLink tells whether an untracked path is one of our symlinks. A pattern
// such as `node_modules/` ignores directories and not the link.
func (r *Repo) isLink(s *slot, path string) bool {
	for _, rel := range r.cfg.Link {
		if filepath.ToSlash(filepath.Clean(filepath.FromSlash(rel))) != path {
			continue
		}
		to, err := os.Readlink(filepath.Join(s.dir, filepath.FromSlash(path)))
		return err == nil && to == filepath.Join(r.root, filepath.FromSlash(path))
	}
	return false
}
