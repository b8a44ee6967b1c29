package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
)

func TestSameInputGivesTheSameCommit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	c := f.described("TASK-01", f.tip(), f.tip())
	tree, err := f.repo.Tree(f.tip())
	require.NoError(t, err)
	c.Tree = tree
	first, err := f.repo.Candidate(ctx(), c)
	require.NoError(t, err)
	f.open()
	second, err := f.repo.Candidate(ctx(), c)
	require.NoError(t, err)
	require.Equal(t, first, second)
	require.Equal(t, string(first), f.git("rev-parse", "refs/pipeline/s1/TASK-01"))

	c.Message = "another\n"
	third, err := f.repo.Candidate(ctx(), c)
	require.NoError(t, err)
	require.NotEqual(t, first, third)
	kept, err := f.repo.Kept(ctx(), "s1")
	require.NoError(t, err)
	require.Equal(t, map[string]stages.Hash{"TASK-01": third}, kept, "the ref goes to the newest")
}

func TestAuthorAndTimeAreGitsAndUTC(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", nil)

	require.Equal(t, "Somebody|some@example.com|Somebody|some@example.com|2026-03-12 03:00:00 +0000|2026-03-12 03:00:00 +0000",
		f.git("log", "-1", "--format=%an|%ae|%cn|%ce|%ai|%ci", string(l.Candidate)))
	require.Equal(t, "TASK-01", f.git("log", "-1", "--format=%(trailers:key=Pipeline-Task,valueonly,separator=)", string(l.Candidate)))
}

func TestMessageIsMadeFitForGit(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a�b\n", cleanMessage("a\x00\xffb\n\n\n"))
}

// signs makes git sign commits with a stand-in for gpg, whose signature tells when
// it was made.
func (f *fixture) signs() {
	f.t.Helper()
	gpg := filepath.Join(f.t.TempDir(), "gpg")
	require.NoError(f.t, os.WriteFile(gpg, []byte("#!/bin/sh\ncat >/dev/null\necho '-----BEGIN PGP SIGNATURE-----'\ndate +%s%N\necho '-----END PGP SIGNATURE-----'\necho '[GNUPG:] SIG_CREATED ' >&2\n"), 0o755))
	f.git("config", "gpg.program", gpg)
	f.git("config", "commit.gpgsign", "true")
}

func TestSigningIsLeftToGit(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.signs()
	f.open()
	l := f.build("TASK-01", nil)
	require.Contains(t, f.git("cat-file", "commit", string(l.Candidate)), "gpgsig -----BEGIN PGP SIGNATURE-----")
	require.Equal(t, "2026-03-12 03:00:00 +0000", f.git("log", "-1", "--format=%ci", string(l.Candidate)))

	again, err := f.repo.Candidate(ctx(), f.described("TASK-01", l.Base, f.snapshot("TASK-01").Tree))
	require.NoError(t, err)
	require.Equal(t, l.Candidate, again, "made again, it is the one that is there")
}

func TestIdentityComesFromTheEnvironmentFirst(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	ids, err := readIdentities(ctx(), command{dir: f.dir}.with("GIT_AUTHOR_NAME=Other N", "GIT_AUTHOR_EMAIL=other@example.com"))
	require.NoError(t, err)
	require.Equal(t, "Other N", ids.author.Name)
	require.Equal(t, "other@example.com", ids.author.Email)
	require.Equal(t, "Somebody", ids.committer.Name)
}

func TestCostOfACandidateDoesNotDependOnTheRepository(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	for i := range 40 {
		f.write("wide/"+strings.Repeat("d", i+1)+"/file.txt", "x\n")
	}
	f.commit("wide")
	f.open()
	tree, err := f.repo.Tree(f.tip())
	require.NoError(t, err)
	before := f.looseObjects()
	_, err = f.repo.Candidate(ctx(), f.described("TASK-01", f.tip(), tree))
	require.NoError(t, err)
	require.Equal(t, before+4, f.looseObjects(), "a blob, tasks/, the root, the commit")
}

func (f *fixture) looseObjects() int {
	f.t.Helper()
	files, err := filepath.Glob(filepath.Join(f.dir, ".git", "objects", "??", "*"))
	require.NoError(f.t, err)
	return len(files)
}
