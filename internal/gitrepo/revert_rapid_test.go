package gitrepo

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// step is a commit on another one that writes or removes a few of few paths, some
// of which are inside others.
func (f *fixture) step(t *rapid.T, on stages.Hash, n int) Landed {
	tree, err := f.repo.objects.treeOf(on)
	require.NoError(t, err)
	paths := []string{"a", "a/x", "a/y", "b", "c/d/e", "c/d"}
	edits := map[string]leaf{}
	for _, path := range rapid.SliceOfNDistinct(rapid.SampledFrom(paths), 1, 3, rapid.ID[string]).Draw(t, "paths") {
		edits[path] = leaf{}
		if rapid.Bool().Draw(t, "write") {
			text := fmt.Sprintf("%d\n2\n3\n4\n5\n6\n7\n%d\n", rapid.IntRange(0, 2).Draw(t, "first"), rapid.IntRange(0, 2).Draw(t, "last"))
			h, err := f.repo.objects.put(plumbing.BlobObject, []byte(text))
			require.NoError(t, err)
			edits[path] = leaf{mode: modeFile, hash: h}
		}
	}
	for path := range edits {
		if edits[parent(path)].mode != 0 {
			delete(edits, path) // it cannot be in a file
		}
	}
	tree, err = f.repo.objects.edit(tree, edits)
	require.NoError(t, err)
	h, err := f.repo.writeUnsigned(&object.Commit{
		Author: at(f.repo.ident.author, noon()), Committer: at(f.repo.ident.committer, noon()), Message: "step\n",
		TreeHash: tree, ParentHashes: []plumbing.Hash{plumbing.NewHash(string(on))},
	})
	require.NoError(t, err)
	return Landed{Commit: stages.Hash(h.String()), Parents: []stages.Hash{on}, Tasks: []tasks.ID{tasks.ID(fmt.Sprintf("TASK-%02d", n))}}
}

func TestTakingBackAllLeavesWhatWasThereBefore(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	start := f.tip()
	rapid.Check(t, func(t *rapid.T) {
		tip, all := start, []Landed(nil)
		for n := range rapid.IntRange(1, 5).Draw(t, "landed") {
			all = append(all, f.step(t, tip, n+1))
			tip = all[n].Commit
		}
		slices.Reverse(all)

		to, _, err := f.repo.Revert(ctx(), tip, all, noon())

		require.NoError(t, err)
		left, err := f.repo.Changes(start, to)
		require.NoError(t, err)
		require.Empty(t, left)
	})
}

func TestTakingOneBackTouchesNothingElse(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	start := f.tip()
	rapid.Check(t, func(t *rapid.T) {
		one := f.step(t, start, 1)
		tip := one.Commit
		for n := range rapid.IntRange(0, 2).Draw(t, "later") {
			tip = f.step(t, tip, n+2).Commit
		}

		to, _, err := f.repo.Revert(ctx(), tip, []Landed{one}, noon())

		if stuck := (*RevertError)(nil); errors.As(err, &stuck) {
			require.NotEqual(t, one.Commit, tip, "nothing came after it")
			return
		}
		require.NoError(t, err)
		brought, err := f.repo.deltas(start, one.Commit)
		require.NoError(t, err)
		taken, err := f.repo.deltas(tip, to)
		require.NoError(t, err)
		require.Len(t, meet(taken, brought), len(taken))
	})
}
