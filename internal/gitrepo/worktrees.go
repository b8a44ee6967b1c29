package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
)

// worktree is a linked worktree as git has it on record. Its folder may be gone.
type worktree struct {
	dir   string // its files
	admin string // git's record of it
}

// worktrees are all linked worktrees of the repository, ours and the user's.
func (r *Reader) worktrees() ([]worktree, error) {
	admins, err := filepath.Glob(filepath.Join(r.common, "worktrees", "*"))
	if err != nil {
		return nil, err
	}
	var out []worktree
	for _, admin := range admins {
		back, err := os.ReadFile(filepath.Join(admin, "gitdir"))
		if err != nil {
			continue // half made, or half removed
		}
		out = append(out, worktree{dir: filepath.Dir(strings.TrimSpace(string(back))), admin: admin})
	}
	return out, nil
}

// Checkouts are the folders in which people work on the repository: the main
// one, if it is not bare, and the linked worktrees that are not ours. A record of
// a session may lie in any of them. Folders that are gone are in missing.
func (r *Reader) Checkouts() (there, missing []string, _ error) {
	all := []string{r.root}
	switch {
	case r.gitDir == r.common:
	case filepath.Base(r.common) == ".git":
		all = append(all, filepath.Dir(r.common))
	default:
		missing = append(missing, r.common) // it does not say where its files lie
	}
	linked, err := r.worktrees()
	if err != nil {
		return nil, nil, err
	}
	for _, w := range linked {
		if !below(w.dir, filepath.Join(r.common, "pipeline", "worktrees")) {
			all = append(all, w.dir)
		}
	}
	for _, dir := range all {
		if _, err := os.Lstat(dir); err != nil {
			missing = append(missing, dir)
			continue
		}
		there = append(there, dir)
	}
	return there, missing, nil
}
