package gitrepo

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
)

// cutOff is a landing killed right after the branch moved.
func (f *fixture) cutOff(l stages.Landing) {
	f.t.Helper()
	require.NoError(f.t, f.repo.announce(l.Base, l.Candidate))
	f.git("update-ref", "refs/heads/main", string(l.Candidate), string(l.Base))
}

func TestFilesFollowAfterAKill(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		left func(*fixture)
		way  []string
	}{
		"before any file":           {left: func(*fixture) {}},
		"after a new file":          {left: func(f *fixture) { f.write("new.txt", "all of it\n") }},
		"in the middle of one":      {left: func(f *fixture) { f.write("new.txt", "all o") }},
		"at the start of one":       {left: func(f *fixture) { f.write("new.txt", "") }},
		"after a changed file":      {left: func(f *fixture) { f.write("a.txt", "two, and longer\n") }},
		"in a changed file":         {left: func(f *fixture) { f.write("a.txt", "two, a") }},
		"after removing one":        {left: func(f *fixture) { require.NoError(f.t, os.Remove(filepath.Join(f.dir, "dir/b.txt"))) }},
		"with its lock held":        {left: func(f *fixture) { f.write(".git/index.lock", "") }},
		"with other files staged":   {left: func(f *fixture) { f.write("other.txt", "x"); f.git("add", "other.txt") }},
		"and the user wrote there":  {left: func(f *fixture) { f.write("new.txt", "the user's\n") }, way: []string{"new.txt"}},
		"and the user edited there": {left: func(f *fixture) { f.write("a.txt", "the user's\n") }, way: []string{"a.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			base := f.tip()
			ws := f.fresh("TASK-01")
			f.writeIn(ws.Dir, "new.txt", "all of it\n")
			f.writeIn(ws.Dir, "a.txt", "two, and longer\n")
			require.NoError(t, os.Remove(filepath.Join(ws.Dir, "dir/b.txt")))
			h, _ := f.candidate("TASK-01", base)
			f.cutOff(stages.Landing{Task: "TASK-01", Candidate: h, Base: base})
			c.left(f)
			repo := f.open()

			way, err := repo.Follow(ctx())

			require.NoError(t, err)
			require.Equal(t, c.way, way)
			if c.way != nil {
				require.Equal(t, "the user's\n", f.read(c.way[0]))
				require.FileExists(t, repo.landingMark(), "resume finishes it")
				return
			}
			require.Equal(t, "all of it\n", f.read("new.txt"))
			require.Equal(t, "two, and longer\n", f.read("a.txt"))
			require.Empty(t, f.git("diff"))
			require.Empty(t, f.git("diff", "--cached", "--name-only", "--", "new.txt", "a.txt", "dir"))
			require.NoFileExists(t, repo.landingMark())
			require.NoFileExists(t, filepath.Join(f.dir, ".git", "index.lock"))
		})
	}
}

func TestCheckoutThatIsBehindCatchesUpOnceTheUserIsDone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"a.txt": "two\n"})
	f.cutOff(l)
	f.write("a.txt", "the user's\n")

	res := f.land(l)
	require.Equal(t, "landed", res.Outcome)
	require.Equal(t, []string{"a.txt"}, res.Paths)

	next := f.build("TASK-02", map[string]string{"new.txt": "x\n"})
	require.Equal(t, "blocked", f.land(next).Outcome, "nothing is put on top of files that are behind")
	require.Equal(t, l.Base, f.repo.standsOn(l.Candidate))

	f.write("a.txt", "one\n")
	require.Equal(t, "landed", f.land(next).Outcome)
	require.Equal(t, "two\n", f.read("a.txt"))
	require.Empty(t, f.git("status", "--porcelain"))
}

func TestKillBeforeTheBranchMovedLeavesNothingToDo(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"a.txt": "two\n"})
	require.NoError(t, f.repo.announce(l.Base, l.Candidate))

	way, err := f.repo.Follow(ctx())

	require.NoError(t, err)
	require.Empty(t, way)
	require.NoFileExists(t, f.repo.landingMark())
	require.Equal(t, "landed", f.land(l).Outcome)
}

func TestBranchMovedBySomebodyElseIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"a.txt": "two\n"})
	f.cutOff(l)
	f.git("commit", "-q", "--allow-empty", "-m", "the user's")

	way, err := f.repo.Follow(ctx())

	require.NoError(t, err)
	require.Empty(t, way)
	require.Equal(t, "one\n", f.read("a.txt"))
}

func TestLockOfTheUsersGitIsWaitedFor(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"a.txt": "two\n"})
	lock := filepath.Join(f.dir, ".git", "index.lock")
	require.NoError(t, os.WriteFile(lock, nil, 0o644))
	time.AfterFunc(100*time.Millisecond, func() { _ = os.Remove(lock) })

	require.Equal(t, "landed", f.land(l).Outcome)
}

func TestLockThatComesAfterTheRefMovedLeavesTheCheckoutBehindAndSaysSo(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"a.txt": "two\n"})
	f.write(".git/hooks/reference-transaction", "#!/bin/sh\n[ \"$1\" = committed ] && grep -q refs/heads/main && touch .git/index.lock\nexit 0\n")
	require.NoError(t, os.Chmod(filepath.Join(f.dir, ".git/hooks/reference-transaction"), 0o755))

	res := f.land(l)

	require.Equal(t, "landed", res.Outcome)
	require.Equal(t, []string{".git/index.lock"}, res.Paths)
	require.NoError(t, os.Remove(filepath.Join(f.dir, ".git", "index.lock")))
	require.NoError(t, os.Remove(filepath.Join(f.dir, ".git/hooks/reference-transaction")))
	way, err := f.repo.Follow(ctx())
	require.NoError(t, err)
	require.Empty(t, way)
	require.Equal(t, "two\n", f.read("a.txt"))
}

func TestLockMadeLongAfterAKilledLandingIsSomebodyElses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.cutOff(f.build("TASK-01", map[string]string{"a.txt": "two\n"}))
	hourAgo := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(f.repo.landingMark(), hourAgo, hourAgo))
	lock := filepath.Join(f.dir, ".git", "index.lock")
	require.NoError(t, os.WriteFile(lock, []byte("an editor is open"), 0o644))

	for range 2 { // and it does not become ours by being met
		way, err := f.open().Follow(ctx())
		require.NoError(t, err)
		require.Equal(t, []string{".git/index.lock"}, way)
		require.FileExists(t, lock)
	}

	require.NoError(t, os.Remove(lock))
	way, err := f.open().Follow(ctx())
	require.NoError(t, err)
	require.Empty(t, way)
	require.Equal(t, "two\n", f.read("a.txt"))
}

func TestLockOfAFollowerThatIsKilledLongAfterItsLandingIsBroken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.cutOff(f.build("TASK-01", map[string]string{"a.txt": "two\n"}))
	f.write("a.txt", "the user's\n")
	hourAgo := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(f.repo.landingMark(), hourAgo, hourAgo))
	way, err := f.open().Follow(ctx())
	require.NoError(t, err)
	require.Equal(t, []string{"a.txt"}, way)
	f.write("a.txt", "one\n")
	f.write(".git/index.lock", "of the git that followed")

	way, err = f.open().Follow(ctx())

	require.NoError(t, err)
	require.Empty(t, way)
	require.Equal(t, "two\n", f.read("a.txt"))
}

func TestLockMetByALandingThatLivesIsNotBrokenByTheNextRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"a.txt": "two\n"})
	f.write(".git/hooks/reference-transaction", "#!/bin/sh\n[ \"$1\" = committed ] && grep -q refs/heads/main && touch .git/index.lock\nexit 0\n")
	require.NoError(t, os.Chmod(filepath.Join(f.dir, ".git/hooks/reference-transaction"), 0o755))
	require.Equal(t, []string{".git/index.lock"}, f.land(l).Paths)

	way, err := f.open().Follow(ctx())

	require.NoError(t, err)
	require.Equal(t, []string{".git/index.lock"}, way)
	require.FileExists(t, filepath.Join(f.dir, ".git", "index.lock"))
}

func TestLockThatStaysIsAnErrorAndIsNotRemoved(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	l := f.build("TASK-01", map[string]string{"a.txt": "two\n"})
	lock := filepath.Join(f.dir, ".git", "index.lock")
	require.NoError(t, os.WriteFile(lock, nil, 0o644))

	_, err := f.repo.Land(ctx(), l)

	require.ErrorContains(t, err, "index.lock")
	require.FileExists(t, lock)
	require.Equal(t, l.Base, f.head())
	require.NoError(t, os.Remove(lock))
}
