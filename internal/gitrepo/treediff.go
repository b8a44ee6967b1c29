package gitrepo

import (
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/taskpipeline/pipeline/stages"
)

// delta is one path that differs between two trees.
type delta struct {
	path     string
	old, new leaf
}

func (d delta) change() stages.Change {
	switch {
	case d.old.mode == 0:
		return stages.Change{Path: d.path, Action: "CREATE"}
	case d.new.mode == 0:
		return stages.Change{Path: d.path, Action: "DELETE"}
	}
	return stages.Change{Path: d.path, Action: "MODIFY"}
}

// diff lists the paths that differ between two trees, sorted. Only the
// directories that differ are read. Renames are a removal and a new file.
func (o *objects) diff(a, b plumbing.Hash) ([]delta, error) {
	var out []delta
	if err := o.walk(a, b, "", &out); err != nil {
		return nil, err
	}
	slices.SortFunc(out, func(x, y delta) int { return strings.Compare(x.path, y.path) })
	return out, nil
}

func (o *objects) walk(a, b plumbing.Hash, dir string, out *[]delta) error {
	if a == b {
		return nil
	}
	left, err := o.entries(a)
	if err != nil {
		return err
	}
	right, err := o.entries(b)
	if err != nil {
		return err
	}
	for len(left) > 0 || len(right) > 0 {
		var l, r entry
		switch {
		case len(right) == 0 || len(left) > 0 && order(left[0], right[0]) < 0:
			l, left = left[0], left[1:]
		case len(left) == 0 || order(left[0], right[0]) > 0:
			r, right = right[0], right[1:]
		default:
			l, r = left[0], right[0]
			left, right = left[1:], right[1:]
		}
		if l.leaf == r.leaf {
			continue
		}
		path := dir + l.name
		if l.name == "" {
			path = dir + r.name
		}
		if l.isDir() || r.isDir() {
			if err := o.walk(l.hash, r.hash, path+"/", out); err != nil {
				return err
			}
			continue
		}
		*out = append(*out, delta{path: path, old: l.leaf, new: r.leaf})
	}
	return nil
}

// meet returns the paths of a that touch a path of b: the same path, or one
// inside the other. Both are sorted; so is the answer.
func meet(a, b []delta) []string {
	theirs := make(map[string]bool, len(b))
	above := map[string]bool{}
	for _, d := range b {
		theirs[d.path] = true
		for p := parent(d.path); p != ""; p = parent(p) {
			above[p] = true
		}
	}
	var out []string
	for _, d := range a {
		hit := theirs[d.path] || above[d.path]
		for p := parent(d.path); p != "" && !hit; p = parent(p) {
			hit = theirs[p]
		}
		if hit {
			out = append(out, d.path)
		}
	}
	return out
}

// parent is the directory of a repository path, "" at the top.
func parent(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return ""
	}
	return path[:i]
}
