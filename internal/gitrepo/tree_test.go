package gitrepo

import (
	"bytes"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// flatTrees holds a database for trees made up by the tests.
func flatTrees(t *testing.T) *objects {
	t.Helper()
	dir := t.TempDir()
	out, err := exec.Command("git", "init", "-q", dir).CombinedOutput()
	require.NoError(t, err, string(out))
	return openObjects(filepath.Join(dir, ".git"))
}

// drawFiles draws a set of files of which none lies inside another.
func drawFiles(t *rapid.T, label string) map[string]leaf {
	name := rapid.StringMatching(`[a-c](\.|-)?`)
	paths := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(name, 1, 3).Draw(t, "names"), "/")
	}), 0, 8).Draw(t, label)
	files := map[string]leaf{}
	for _, p := range paths {
		free := files[p].mode == 0
		for q := range files {
			free = free && !below(p, q) && !below(q, p)
		}
		if free {
			content := rapid.SampledFrom([]string{"x", "y"}).Draw(t, "content")
			files[p] = leaf{mode: modeFile, hash: plumbing.ComputeHash(plumbing.BlobObject, []byte(content))}
		}
	}
	return files
}

// write makes the tree of a set of files, one file at a time.
func write(t *rapid.T, o *objects, files map[string]leaf) plumbing.Hash {
	tree := emptyTree()
	for _, p := range slices.Sorted(maps.Keys(files)) {
		var err error
		tree, err = o.edit(tree, map[string]leaf{p: files[p]})
		require.NoError(t, err)
	}
	return tree
}

func TestApplyingADifferenceGivesTheOtherTree(t *testing.T) {
	t.Parallel()
	o := flatTrees(t)
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawFiles(t, "a"), drawFiles(t, "b")
		from, to := write(t, o, a), write(t, o, b)

		deltas, err := o.diff(from, to)
		require.NoError(t, err)
		for _, d := range deltas {
			require.Equal(t, a[d.path], d.old)
			require.Equal(t, b[d.path], d.new)
		}
		got, err := o.overlay(from, deltas)
		require.NoError(t, err)
		require.Equal(t, to, got)

		all, err := o.edit(emptyTree(), b)
		require.NoError(t, err)
		require.Equal(t, to, all, "all at once is the same as one by one")
	})
}

func TestPathsThatDoNotMeetMergeTheSameEitherWay(t *testing.T) {
	t.Parallel()
	o := flatTrees(t)
	rapid.Check(t, func(t *rapid.T) {
		base, a, b := write(t, o, drawFiles(t, "base")), write(t, o, drawFiles(t, "a")), write(t, o, drawFiles(t, "b"))
		ours, err := o.diff(base, a)
		require.NoError(t, err)
		theirs, err := o.diff(base, b)
		require.NoError(t, err)
		require.Equal(t, len(meet(ours, theirs)) == 0, len(meet(theirs, ours)) == 0, "meeting is mutual")
		if len(meet(ours, theirs)) > 0 {
			return
		}
		one, err := o.overlay(b, ours)
		require.NoError(t, err)
		other, err := o.overlay(a, theirs)
		require.NoError(t, err)
		require.Equal(t, one, other)
	})
}

func TestTreesAreSortedAsGitSorts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, path := range []string{"s/x", "s.c", "s-1", "s0", "sa/b", "sa.b", "ß"} {
		f.write(path, "x\n")
	}
	f.commit("names")
	want := f.git("rev-parse", "HEAD^{tree}")
	all, err := f.repo.deltas("4b825dc642cb6eb9a060e54bf8d69288fbee4904", f.tip())
	require.NoError(t, err)
	got, err := f.repo.objects.overlay(emptyTree(), all)
	require.NoError(t, err)
	require.Equal(t, want, got.String())
}

func TestRemovingBelowAFileLeavesTheFile(t *testing.T) {
	t.Parallel()
	o := flatTrees(t)
	blob := leaf{mode: modeFile, hash: plumbing.ComputeHash(plumbing.BlobObject, []byte("x"))}
	tree, err := o.edit(emptyTree(), map[string]leaf{"a": blob})
	require.NoError(t, err)
	same, err := o.edit(tree, map[string]leaf{"a/b": {}, "none": {}, "none/none": {}})
	require.NoError(t, err)
	require.Equal(t, tree, same)
	empty, err := o.edit(tree, map[string]leaf{"a": {}})
	require.NoError(t, err)
	require.Equal(t, emptyTree(), empty)
}

func FuzzParseTree(f *testing.F) {
	f.Add([]byte("100644 a\x0001234567890123456789"))
	f.Add([]byte("40000 dir\x0001234567890123456789100755 x\x0001234567890123456789"))
	f.Add([]byte("100644 \x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		entries, err := parseTree(b)
		if err != nil {
			return
		}
		again, err := parseTree(encodeTree(entries))
		require.NoError(t, err)
		require.Equal(t, entries, again)
	})
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte("# branch.oid abc\x001 .M N... 100644 100644 100644 h h a b.txt\x00? new/\x00! x\x00"))
	f.Add([]byte("u UU N... 100644 100644 100644 100644 h h h a b\x00"))
	f.Add([]byte("1 .M\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := parseStatus(b)
		if err != nil {
			return
		}
		for _, file := range s.files {
			require.NotEmpty(t, file.path)
			require.False(t, bytes.Contains([]byte(file.path), []byte{0}))
		}
	})
}

func FuzzParseIdentity(f *testing.F) {
	f.Add("Some L <some@example.com> 1700000000 +0100")
	f.Add("<>")
	f.Add("> x <")
	f.Fuzz(func(t *testing.T, s string) {
		who, ok := parseIdentity(s)
		if ok {
			require.Contains(t, s, "<"+who.Email+">")
		}
	})
}
