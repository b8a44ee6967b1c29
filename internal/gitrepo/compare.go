package gitrepo

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

// anyCreatedExists tells whether the checkout holds something where a new file
// is to go. git itself would overwrite what is ignored there.
func (r *Repo) anyCreatedExists(deltas []delta) bool {
	for _, d := range deltas {
		if d.old.mode != 0 {
			continue
		}
		at := filepath.Join(r.root, filepath.FromSlash(d.path))
		if _, err := os.Lstat(at); err == nil || !os.IsNotExist(err) {
			return true
		}
	}
	return false
}

// deletedByUser are the files that a landing changes and that the user has
// deleted without saying so to git, which would bring them back.
func (r *Repo) deletedByUser(deltas []delta) []string {
	var gone []string
	for _, d := range deltas {
		if d.old.mode == 0 || d.new.mode == 0 || d.new.mode == modeGitlink {
			continue
		}
		if _, err := os.Lstat(filepath.Join(r.root, filepath.FromSlash(d.path))); os.IsNotExist(err) {
			gone = append(gone, d.path)
		}
	}
	return gone
}

// compare looks at what the checkout holds at the paths of a landing: adopt
// are those that hold the landed content already, way are those that hold
// something of the user's which would be lost. After a kill a file that git
// was writing, the beginning of the landed one, is removed to be written again.
func (r *Repo) compare(ctx context.Context, deltas []delta, killed bool) (adopt []delta, way []string, _ error) {
	var files []dirty
	for _, d := range deltas {
		if d.new.mode == 0 {
			continue
		}
		info, err := os.Lstat(filepath.Join(r.root, filepath.FromSlash(d.path)))
		switch {
		case err != nil && os.IsNotExist(err):
		case err != nil: // something else is on the way to it
			if d.old.mode == 0 {
				if up := r.blocker(d.path, deltas); up != "" {
					way = append(way, up)
				}
			}
		case info.IsDir():
			if theirs := r.strangers(d.path, deltas); len(theirs) > 0 {
				way = append(way, theirs...)
			}
		default:
			files = append(files, dirty{path: d.path, mode: d.new.mode, untracked: d.old.mode == 0})
		}
	}
	s := &slot{dir: r.root, admin: r.gitDir, git: r.git}
	base := emptyTree()
	if tip, err := r.Tip(ctx); err == nil {
		if base, err = r.objects.treeOf(tip); err != nil {
			return nil, nil, err
		}
	}
	have, err := r.hashFiles(ctx, s, base, files)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range deltas {
		now, ok := have[d.path]
		switch {
		case !ok || now.mode == 0:
		case now == d.new:
			adopt = append(adopt, d)
		case killed && r.isBeginning(d, now):
			if err := os.Remove(filepath.Join(r.root, filepath.FromSlash(d.path))); err != nil {
				return nil, nil, err
			}
		case d.old.mode == 0:
			way = append(way, d.path)
		case now != d.old:
			way = append(way, d.path)
		}
	}
	slices.Sort(way)
	return adopt, slices.Compact(way), nil
}

// isBeginning tells whether a file holds the beginning of the landed blob and
// is not what stood there before.
func (r *Repo) isBeginning(d delta, now leaf) bool {
	if now.hash == d.old.hash || now.mode == modeSymlink {
		return false
	}
	part, err := r.objects.content(plumbing.BlobObject, now.hash)
	if err != nil {
		return false
	}
	whole, err := r.objects.content(plumbing.BlobObject, d.new.hash)
	return err == nil && bytes.HasPrefix(whole, part)
}

// blocker is the file that stands where a directory has to be, "" if the
// landing itself removes it.
func (r *Repo) blocker(path string, deltas []delta) string {
	for p := parent(path); p != ""; p = parent(p) {
		info, err := os.Lstat(filepath.Join(r.root, filepath.FromSlash(p)))
		if err != nil || info.IsDir() {
			continue
		}
		if slices.ContainsFunc(deltas, func(d delta) bool { return d.path == p && d.new.mode == 0 }) {
			return ""
		}
		return p
	}
	return ""
}

// strangers are the files in a directory that a landing turns into a file and
// does not remove itself.
func (r *Repo) strangers(dir string, deltas []delta) []string {
	removed := map[string]bool{}
	for _, d := range deltas {
		if d.new.mode == 0 && below(d.path, dir) {
			removed[d.path] = true
		}
	}
	var out []string
	_ = filepath.WalkDir(filepath.Join(r.root, filepath.FromSlash(dir)), func(full string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		rel, err := filepath.Rel(r.root, full)
		if err == nil && !removed[filepath.ToSlash(rel)] {
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	return out
}
