package gitrepo

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taskpipeline/pipeline/stages"
)

// settled is a repository with some history of odd files for random edits.
func settled(t *testing.T, config ...string) *fixture {
	t.Helper()
	f := newRepository(t)
	f.git("config", "filter.up.clean", "tr a-z A-Z")
	if len(config) > 0 {
		f.git("config", config[0], config[1])
	}
	f.write("x.o", "tracked, and soon ignored\n")
	f.write("dir/x", "x\n")
	f.write("back\\slash", "cr\r\nlf\r\n")
	f.commit("odd files")
	f.open()
	return f
}

// addAll is the tree that `git add -A` would make in the workspace of TASK-01,
// on a copy of its index.
func addAll(t require.TestingT, f *fixture) stages.Hash {
	s := f.repo.held("TASK-01")
	own, err := os.ReadFile(s.index())
	require.NoError(t, err)
	copied := filepath.Join(s.admin, "index.copy")
	require.NoError(t, os.WriteFile(copied, own, 0o600))
	git := s.git.with("GIT_INDEX_FILE=" + copied)
	_, err = git.run(ctx(), "add", "-A")
	require.NoError(t, err)
	tree, err := git.line(ctx(), "write-tree")
	require.NoError(t, err)
	return stages.Hash(tree)
}

func TestSnapshotIsWhatGitWouldAdd(t *testing.T) {
	t.Parallel()
	type place struct {
		*fixture
		more string // edits beside those that every repository gets
	}
	places := map[string]place{
		"a builder that stages": {settled(t), "stage"}, // what it staged has no say in how we convert: not with attributes
		"attributes":            {settled(t), "attributes"},
		"autocrlf":              {settled(t, "core.autocrlf", "true"), "attributes"},
		"input":                 {settled(t, "core.autocrlf", "input"), "attributes"},
		"no modes":              {settled(t, "core.fileMode", "false"), ""},
	}
	rapid.Check(t, func(t *rapid.T) {
		f := places[rapid.SampledFrom(slices.Sorted(maps.Keys(places))).Draw(t, "repository")]
		lease := stages.Lease{Task: "TASK-01", Base: f.tip()}
		ws, err := f.repo.Open(ctx(), lease)
		require.NoError(t, err)
		defer func() {
			_, err := f.repo.held("TASK-01").git.run(ctx(), "clean", "-ffdxq") // the next begins from nothing
			require.NoError(t, err)
		}()
		editor{t, ws.Dir}.edit(f.more)

		snap, err := f.repo.Snapshot(ctx(), "TASK-01", nil)

		require.NoError(t, err)
		want := addAll(t, f.fixture)
		require.Equal(t, f.files(want), f.files(snap.Tree))
		require.Equal(t, want, snap.Tree)
		_, err = f.repo.Open(ctx(), lease)
		require.NoError(t, err)
		again, err := f.repo.Snapshot(ctx(), "TASK-01", nil)
		require.NoError(t, err)
		require.Empty(t, again.Changes, "an attempt that is forgotten leaves nothing")
	})
}

// TestWhatLandsIsWhatGitWouldHaveCommitted lands random changes of all kinds on
// a branch that is checked out.
func TestWhatLandsIsWhatGitWouldHaveCommitted(t *testing.T) {
	t.Parallel()
	f := settled(t)
	base := f.tip()
	rapid.Check(t, func(t *rapid.T) {
		ws, err := f.repo.Open(ctx(), stages.Lease{Task: "TASK-01", Base: base})
		require.NoError(t, err)
		defer func() {
			_, err := f.repo.held("TASK-01").git.run(ctx(), "clean", "-ffdxq")
			require.NoError(t, err)
			f.git("reset", "-q", "--hard", string(base))
			f.repo.known = base
			f.git("clean", "-ffdxq")
		}()
		editor{t, ws.Dir}.edit()
		want := addAll(t, f)
		snap, err := f.repo.Snapshot(ctx(), "TASK-01", nil)
		require.NoError(t, err)
		c := f.described("TASK-01", base, snap.Tree)
		h, err := f.repo.Candidate(ctx(), c)
		require.NoError(t, err)

		res, err := f.repo.Land(ctx(), stages.Landing{Task: "TASK-01", Candidate: h, Base: base})

		require.NoError(t, err)
		require.Equal(t, "landed", res.Outcome, res.Paths)
		require.Empty(t, res.Paths, "the checkout followed")
		landed := f.files(f.head())
		require.Equal(t, f.files(want), slices.DeleteFunc(landed, func(file string) bool { return strings.HasSuffix(file, "TASK-01_result.md") }))
		require.Empty(t, f.git("status", "--porcelain"))
	})
	f.fsck()
}
