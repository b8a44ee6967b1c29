package gitrepo

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// The modes of tree entries.
const (
	modeDir     = 0o040000
	modeFile    = 0o100644
	modeExec    = 0o100755
	modeSymlink = 0o120000
	modeGitlink = 0o160000
)

// leaf is what a path holds in a tree; mode 0 means nothing.
type leaf struct {
	mode uint32
	hash plumbing.Hash
}

// entry is one line of a tree object.
type entry struct {
	name string
	leaf
}

func (e entry) isDir() bool { return e.mode == modeDir }

// order compares as git sorts: a directory as if its name ended in a slash.
func order(a, b entry) int {
	n := min(len(a.name), len(b.name))
	if c := strings.Compare(a.name[:n], b.name[:n]); c != 0 {
		return c
	}
	return cmp.Compare(next(a, n), next(b, n))
}

func next(e entry, n int) byte {
	switch {
	case len(e.name) > n:
		return e.name[n]
	case e.isDir():
		return '/'
	}
	return 0
}

// parseTree reads the content of a tree object. Modes are kept as written, so
// that what is not edited is written back byte for byte.
func parseTree(b []byte) ([]entry, error) {
	s := string(b)
	entries := make([]entry, 0, len(s)/32)
	for s != "" {
		mode, rest, ok := strings.Cut(s, " ")
		if !ok {
			return nil, fmt.Errorf("a tree entry without a mode")
		}
		m, err := strconv.ParseUint(mode, 8, 32)
		if err != nil || m == 0 {
			return nil, fmt.Errorf("a tree entry with the mode %.20q", mode)
		}
		name, rest, ok := strings.Cut(rest, "\x00")
		if !ok || name == "" || len(rest) < len(plumbing.ZeroHash) {
			return nil, fmt.Errorf("a tree entry that is cut off")
		}
		e := entry{name: name, leaf: leaf{mode: uint32(m)}}
		copy(e.hash[:], rest)
		entries = append(entries, e)
		s = rest[len(e.hash):]
	}
	return entries, nil
}

// encodeTree writes the content of a tree object.
func encodeTree(entries []entry) []byte {
	var b bytes.Buffer
	for _, e := range entries {
		b.WriteString(strconv.FormatUint(uint64(e.mode), 8))
		b.WriteByte(' ')
		b.WriteString(e.name)
		b.WriteByte(0)
		b.Write(e.hash[:])
	}
	return b.Bytes()
}

// entries reads a tree; the zero hash is the empty tree.
func (o *objects) entries(tree plumbing.Hash) ([]entry, error) {
	if tree.IsZero() || tree == emptyTree() {
		return nil, nil
	}
	b, err := o.content(plumbing.TreeObject, tree)
	if err != nil {
		return nil, err
	}
	entries, err := parseTree(b)
	if err != nil {
		return nil, fmt.Errorf("tree %s in %s: %w", tree, o.common, err)
	}
	return entries, nil
}

// emptyTree is the tree without entries, which git knows without an object.
func emptyTree() plumbing.Hash {
	return plumbing.ComputeHash(plumbing.TreeObject, nil)
}

// lookup returns what a tree holds at a slash-separated path; a directory has
// modeDir, and a path that is not there the zero leaf.
func (o *objects) lookup(tree plumbing.Hash, path string) (leaf, error) {
	at := leaf{mode: modeDir, hash: tree}
	if path == "" || path == "." {
		return at, nil
	}
	for name := range strings.SplitSeq(path, "/") {
		if at.mode != modeDir {
			return leaf{}, nil
		}
		entries, err := o.entries(at.hash)
		if err != nil {
			return leaf{}, err
		}
		i := slices.IndexFunc(entries, func(e entry) bool { return e.name == name })
		if i < 0 {
			return leaf{}, nil
		}
		at = entries[i].leaf
	}
	return at, nil
}
