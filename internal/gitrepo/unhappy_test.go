package gitrepo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
)

func TestUnhappyRepositoriesAreRefusedWithTheNextCommand(t *testing.T) {
	t.Parallel()
	type setUp func(*fixture, *Config)
	for name, c := range map[string]struct {
		setUp setUp
		says  string
	}{
		"not a repository": {func(f *fixture, c *Config) { c.Dir = f.t.TempDir() }, "is not in a git repository; make one with `git init`"},
		"bare": {func(f *fixture, c *Config) {
			c.Dir = filepath.Join(f.t.TempDir(), "bare")
			f.git("clone", "-q", "--bare", ".", c.Dir)
		}, "is a bare repository"},
		"inside .git": {func(f *fixture, c *Config) { c.Dir = filepath.Join(f.dir, ".git") }, "inside a .git directory"},
		"no commit": {func(f *fixture, c *Config) {
			c.Dir = f.t.TempDir()
			f.gitIn(c.Dir, "init", "-q")
		}, "has no commit yet; make one"},
		"detached":       {func(f *fixture, _ *Config) { f.git("checkout", "-q", "--detach") }, "HEAD is detached"},
		"no such branch": {func(_ *fixture, c *Config) { c.Branch = "other" }, "has no branch other; make it with `git branch other`"},
		"merge":          {func(f *fixture, _ *Config) { f.write(".git/MERGE_HEAD", string(f.head())+"\n") }, "a merge is in progress"},
		"rebase":         {func(f *fixture, _ *Config) { f.write(".git/rebase-merge/head-name", "x") }, "a rebase is in progress"},
		"am":             {func(f *fixture, _ *Config) { f.write(".git/rebase-apply/x", "x") }, "git am --abort"},
		"cherry-pick":    {func(f *fixture, _ *Config) { f.write(".git/CHERRY_PICK_HEAD", string(f.head())+"\n") }, "a cherry-pick is in progress"},
		"revert":         {func(f *fixture, _ *Config) { f.write(".git/REVERT_HEAD", string(f.head())+"\n") }, "a revert is in progress"},
		"bisect":         {func(f *fixture, _ *Config) { f.git("bisect", "start") }, "git bisect reset"},
		"no name":        {func(f *fixture, _ *Config) { f.git("config", "--unset", "user.email") }, "does not know who commits"},
		"checked out nearby": {func(f *fixture, c *Config) {
			f.git("worktree", "add", "-qb", "other", filepath.Join(f.t.TempDir(), "w"))
			c.Branch = "other"
		}, "checked out in another worktree"},
		"partial clone": {func(f *fixture, _ *Config) { f.git("config", "remote.origin.promisor", "true") }, "partial clone"},
		"partial extension": {func(f *fixture, _ *Config) {
			f.git("config", "core.repositoryFormatVersion", "1")
			f.git("config", "extensions.partialClone", "origin")
		}, "extensions.partialclone"},
		"worktreeConfig": {func(f *fixture, _ *Config) { f.git("config", "extensions.worktreeConfig", "true") }, "extensions.worktreeConfig"},
		"reftable": {func(f *fixture, _ *Config) {
			f.git("config", "extensions.refStorage", "reftable")
			f.write(".git/config", f.read(".git/config")+"[core]\nrepositoryformatversion = 1\n")
		}, "refstorage"},
		"sha256": {func(f *fixture, c *Config) {
			c.Dir = f.t.TempDir()
			f.gitIn(c.Dir, "init", "-q", "--object-format=sha256")
		}, "extensions.objectformat=sha256"},
		"split index":  {func(f *fixture, _ *Config) { f.git("update-index", "--split-index") }, "split index"},
		"session name": {func(_ *fixture, c *Config) { c.Session = "a..b" }, "cannot be part of a git ref"},
		"session path": {func(_ *fixture, c *Config) { c.Session = "a/b" }, "cannot be part of a git ref"},
		"isolation":    {func(_ *fixture, c *Config) { c.Isolation = "chroot" }, "unknown isolation"},
		"unclean": {func(f *fixture, c *Config) {
			f.write("mine.txt", "x")
			c.Isolation = None
		}, "has uncommitted files: mine.txt; commit them"},
		"another branch, no isolation": {func(f *fixture, c *Config) {
			f.git("branch", "other")
			c.Branch, c.Isolation = "other", None
		}, "other is not checked out"},
		"submodule with changes": {func(f *fixture, _ *Config) {
			sub := newRepository(f.t)
			f.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", sub.dir, "sub")
			f.commit("sub")
			f.write("sub/a.txt", "changed\n")
		}, "the submodule sub"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			cfg := f.config()
			c.setUp(f, &cfg)

			_, err := Open(ctx(), cfg)

			var refusal *Refusal
			require.ErrorAs(t, err, &refusal)
			require.Contains(t, err.Error(), c.says)
			require.NotEmpty(t, refusal.Next)
			require.NoDirExists(t, filepath.Join(f.dir, ".git", "pipeline"), "nothing was written")
		})
	}
}

func TestHappyRepositoriesOpen(t *testing.T) {
	t.Parallel()
	for name, setUp := range map[string]func(*fixture, *Config){
		"a directory below":    func(f *fixture, c *Config) { c.Dir = filepath.Join(f.dir, "dir") },
		"detached with branch": func(f *fixture, c *Config) { f.git("checkout", "-q", "--detach"); c.Branch = "main" },
		"shallow": func(f *fixture, c *Config) {
			f.write("a.txt", "second\n")
			f.commit("second")
			c.Dir = filepath.Join(f.t.TempDir(), "shallow")
			f.git("clone", "-q", "--depth", "1", "file://"+f.dir, c.Dir)
			f.gitIn(c.Dir, "config", "user.name", "Somebody")
			f.gitIn(c.Dir, "config", "user.email", "some@example.com")
			c.TasksDir = filepath.Join(c.Dir, "tasks")
		},
		"the user's own worktree": func(f *fixture, c *Config) {
			c.Dir = filepath.Join(f.t.TempDir(), "w")
			f.git("worktree", "add", "-qb", "other", c.Dir)
			c.TasksDir = filepath.Join(c.Dir, "tasks")
		},
		"a record of a removed worktree": func(f *fixture, c *Config) {
			w := filepath.Join(f.t.TempDir(), "w")
			f.git("worktree", "add", "-qb", "other", w)
			require.NoError(f.t, os.RemoveAll(w))
			c.Branch = "other"
		},
		"packed": func(f *fixture, _ *Config) { f.git("gc", "-q"); f.git("pack-refs", "--all") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			cfg := f.config()
			setUp(f, &cfg)
			repo, err := Open(ctx(), cfg)
			require.NoError(t, err)
			f.repo, f.dir = repo, repo.Root()

			require.Equal(t, "landed", f.land(f.build("TASK-01", map[string]string{"new.txt": "x\n"})).Outcome)
			require.Empty(t, f.git("diff", "--name-only", string(f.tip())+"^", string(f.tip()), "--", "a.txt"))
			f.fsck()
		})
	}
}

func TestBranchIsMadeOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	reader, err := Find(ctx(), f.dir)
	require.NoError(t, err)
	require.NoError(t, reader.CreateBranch(ctx(), "work/one"))
	require.NoError(t, reader.CreateBranch(ctx(), "work/one"), "one that exists is left alone")
	tip, err := reader.BranchTip("work/one")
	require.NoError(t, err)
	require.Equal(t, f.head(), tip)

	var refusal *Refusal
	require.ErrorAs(t, reader.CreateBranch(ctx(), "-f"), &refusal)
	require.ErrorAs(t, reader.CreateBranch(ctx(), "a..b"), &refusal)
}

func TestGitIsAskedForItsVersion(t *testing.T) {
	t.Parallel()
	for said, ok := range map[string]bool{
		"git version 2.38.0": true, "git version 2.39.5 (Apple Git-154)": true, "git version 3.0": true,
		"git version 2.37.9": false, "git version 1.9.1": false, "git version": false, "": false,
		"git version 2.45.1.windows.1": true,
	} {
		require.Equal(t, ok, newEnough(said), said)
	}
}

func TestWorkspaceThatStandsOnTheBranchIsNotAnotherWorktree(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.git("branch", "work")
	onWork := func(c *Config) { c.Branch = "work" }
	f.open(onWork)
	ws := f.fresh("TASK-01")
	f.gitIn(ws.Dir, "checkout", "-q", "work")
	require.NoError(t, f.repo.Release(ctx()))

	f.open(onWork)
	_, err := f.repo.Open(ctx(), stages.Lease{Task: "TASK-01", Base: f.tip(), Mode: stages.Keep})
	require.NoError(t, err)
	require.Equal(t, string(f.tip()), f.gitIn(ws.Dir, "rev-parse", "HEAD"))
	require.Empty(t, f.gitIn(ws.Dir, "branch", "--show-current"))
}
