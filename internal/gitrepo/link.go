package gitrepo

import (
	"fmt"
	"os"
	"path/filepath"
)

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
