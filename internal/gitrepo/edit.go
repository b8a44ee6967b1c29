package gitrepo

import (
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// node is one directory level of the paths to be edited.
type node struct {
	set  *leaf // what the path itself becomes; nil: nothing was said of it
	kids map[string]*node
}

func plant(edits map[string]leaf) *node {
	root := &node{}
	for path, l := range edits {
		at := root
		for name := range strings.SplitSeq(path, "/") {
			if at.kids == nil {
				at.kids = map[string]*node{}
			}
			if at.kids[name] == nil {
				at.kids[name] = &node{}
			}
			at = at.kids[name]
		}
		at.set = &l
	}
	return root
}

// edit returns tree with the given paths replaced (mode 0: removed). Only the
// trees on the way to those paths are read and written, so the cost does not
// depend on the size of the repository.
func (o *objects) edit(tree plumbing.Hash, edits map[string]leaf) (plumbing.Hash, error) {
	if len(edits) == 0 {
		return tree, nil
	}
	h, err := o.graft(tree, plant(edits))
	if err == nil && h.IsZero() {
		return o.put(plumbing.TreeObject, nil)
	}
	return h, err
}

// graft is edit for one directory; the zero hash means that nothing is left of it.
func (o *objects) graft(tree plumbing.Hash, n *node) (plumbing.Hash, error) {
	old, err := o.entries(tree)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	before := make(map[string]leaf, len(n.kids))
	kept := make([]entry, 0, len(old)+len(n.kids))
	for _, e := range old {
		if n.kids[e.name] == nil {
			kept = append(kept, e)
			continue
		}
		before[e.name] = e.leaf
	}
	var fresh []entry
	for name, kid := range n.kids {
		l, err := o.become(before[name], kid)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		if l.mode != 0 {
			fresh = append(fresh, entry{name: name, leaf: l})
		}
	}
	all := mergeEntries(kept, fresh)
	if len(all) == 0 {
		return plumbing.ZeroHash, nil
	}
	if slices.Equal(all, old) {
		return tree, nil
	}
	return o.put(plumbing.TreeObject, encodeTree(all))
}

// become is what one entry turns into.
func (o *objects) become(was leaf, n *node) (leaf, error) {
	if n.set != nil && n.set.mode != 0 {
		return *n.set, nil
	}
	if len(n.kids) == 0 {
		if n.set == nil {
			return was, nil
		}
		return leaf{}, nil
	}
	from := plumbing.ZeroHash
	if was.mode == modeDir {
		from = was.hash
	}
	h, err := o.graft(from, n)
	if err != nil {
		return leaf{}, err
	}
	if !h.IsZero() {
		return leaf{mode: modeDir, hash: h}, nil
	}
	// Removing below a path that is a file leaves the file.
	if was.mode != modeDir && n.set == nil {
		return was, nil
	}
	return leaf{}, nil
}

// mergeEntries puts new entries among sorted ones.
func mergeEntries(sorted, fresh []entry) []entry {
	slices.SortFunc(fresh, order)
	out := make([]entry, 0, len(sorted)+len(fresh))
	for _, f := range fresh {
		i, _ := slices.BinarySearchFunc(sorted, f, order)
		out = append(append(out, sorted[:i]...), f)
		sorted = sorted[i:]
	}
	return append(out, sorted...)
}
