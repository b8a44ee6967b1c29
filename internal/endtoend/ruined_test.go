package endtoend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A builder may do to its workspace whatever a shell can. It costs the builder
// an attempt, and nobody else anything.

func TestBuilderThatRuinsItsWorkspaceCostsOneAttemptAndHarmsNothingElse(t *testing.T) {
	t.Parallel()
	for name, ruin := range map[string]string{
		"deletes it":                          `rm -rf "$PWD"`,
		"deletes all in it, .git too":         `rm -rf ./* .git`,
		"deletes its .git":                    `rm .git`,
		"points its .git at the user's":       `echo "gitdir: THEIRS/.git" > .git`,
		"points its .git at nothing":          `echo "gitdir: /nowhere" > .git`,
		"makes a repository of it":            `rm .git; git init -q .; git add .; git -c user.name=x -c user.email=x commit -qm x`,
		"puts a link to the checkout instead": `rm -rf "$PWD"; ln -s "THEIRS" "$PWD"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := emptyPlace(t)
			ruined := filepath.Join(t.TempDir(), "ruined")
			ruin := strings.ReplaceAll(ruin, "THEIRS", p.dir) + "; touch '" + ruined + "'; exit 0"
			p.write(map[string]string{
				"keep": "the user's\n", "deep/er/keep": "the user's\n",
				"tasks/TASK-01.md": task("TASK-01", `if [ "$PIPELINE_ATTEMPT" = 1 ]; then `+ruin+"; fi\necho 1 > one", "test -f one && test -f deep/er/keep"),
				"tasks/TASK-02.md": twoTasks()["tasks/TASK-02.md"],
			})
			p.git("add", ".")
			p.git("commit", "-q", "-m", "Plan")
			p.write(map[string]string{"keep": "the user's edit\n", "untracked": "the user's\n"})
			r := p.must(0, "run", "-j", "2", "-o", "plain")
			require.FileExists(t, ruined)
			require.Contains(t, r.stdout, "TASK-01 builder#1 FAIL")
			require.Contains(t, r.stdout, "TASK-01 builder#2 PASS")
			require.Equal(t, " M keep\n?? untracked", p.git("status", "--porcelain"))
			require.Equal(t, "the user's edit\nthe user's\n", p.read("keep")+p.read("untracked"))
			require.Equal(t, "the user's\n", p.git("show", "main:deep/er/keep")+"\n")
			p.built()
		})
	}
}

func TestBuilderThatDeletesTheFoldersOfItsWorkspaceIsFailedByItsVerifier(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"deep/one/keep": "x\n", "deep/two/keep": "x\n",
		"tasks/TASK-01.md": task("TASK-01", `if [ "$PIPELINE_ATTEMPT" = 1 ]; then (cd deep/one && rm -rf ../two ../one); else git checkout -q HEAD -- deep; fi; echo 1 > one`, "test -f deep/one/keep && test -f deep/two/keep"),
		"tasks/TASK-02.md": twoTasks()["tasks/TASK-02.md"],
	})
	r := p.must(0, "run", "-o", "plain")
	require.Contains(t, r.stdout, "TASK-01 verifier#1 FAIL")
	require.Equal(t, "x\nx\n", p.read("deep/one/keep")+p.read("deep/two/keep"))
	p.built()
}

// kept runs the plan of two TASKs until the first has FAILED, and returns the
// workspace that is kept of it.
func kept(p *place) string {
	p.Helper()
	p.must(1, "run", "--session", "s1", "--attempts", "2", "-o", "quiet")
	slots, err := filepath.Glob(p.path(".git/pipeline/worktrees/s1/slot-*"))
	require.NoError(p, err)
	require.Len(p, slots, 1)
	return slots[0]
}

// onceFailing is the plan of two TASKs, of which the first FAILs until the file
// may is there.
func onceFailing(may string) map[string]string {
	files := twoTasks()
	files["tasks/TASK-01.md"] = task("TASK-01", "! test -e stale; test -e '"+may+"' || { echo x > stale-$PIPELINE_SESSION; exit 1; }; rm -f stale-*; echo 1 > one", "test -f one")
	return files
}

func TestKeptWorkspaceThatIsAnotherNowIsNotGoneOnWith(t *testing.T) {
	t.Parallel()
	for name, tamper := range map[string]func(p *place, dir string){
		"its .git points at the user's": func(p *place, dir string) {
			writeFile(p, dir, ".git", "gitdir: "+p.path(".git")+"\n")
		},
		"another worktree stands there": func(p *place, dir string) {
			p.git("worktree", "remove", "--force", dir)
			p.git("worktree", "add", "-q", "-b", "theirs", dir)
		},
		"a link to the checkout stands there": func(p *place, dir string) { linkInstead(p, dir, p.dir) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			may := filepath.Join(t.TempDir(), "may")
			p := newPlace(t, onceFailing(may))
			p.write(map[string]string{"untracked": "the user's\n"})
			dir := kept(p)
			tamper(p, dir)
			writeFile(p, dir, "stale", "somebody's\n")
			writeFile(p, filepath.Dir(may), "may", "")
			p.must(0, "retry", "TASK-01")
			require.Equal(t, "A\tone\nA\ttasks/TASK-01_progress.md\nA\ttasks/TASK-01_result.md", p.git("show", "--format=", "--name-status", "main^"))
			require.Equal(t, "the user's\n", p.read("untracked"))
			p.built()
		})
	}
}

func TestLinkInThePlaceOfAWorkspaceIsRemovedWithoutWhatItLeadsTo(t *testing.T) {
	t.Parallel()
	may := filepath.Join(t.TempDir(), "may")
	p := newPlace(t, onceFailing(may))
	theirs := filepath.Join(t.TempDir(), "theirs")
	p.git("worktree", "add", "-q", "-b", "theirs", theirs)
	writeFile(p, theirs, "untracked", "the user's\n")
	linkInstead(p, kept(p), theirs)
	writeFile(p, filepath.Dir(may), "may", "")
	p.must(0, "retry", "TASK-01")
	require.Equal(t, "1\n2\n", p.read("one")+p.read("two"))
	require.FileExists(t, filepath.Join(theirs, "untracked"))
	require.Equal(t, "?? untracked", p.git("-C", theirs, "status", "--porcelain"))
	p.git("worktree", "remove", "--force", theirs)
	p.nothingLeft()
}

// linkInstead puts a link in the place of a workspace that git has forgotten.
func linkInstead(p *place, dir, to string) {
	p.Helper()
	p.git("worktree", "remove", "--force", dir)
	require.NoError(p, os.MkdirAll(filepath.Dir(dir), 0o755))
	require.NoError(p, os.Symlink(to, dir))
}

func TestSessionDoesNotBuildInAWorkspaceOfAnEarlierOne(t *testing.T) {
	t.Parallel()
	may := filepath.Join(t.TempDir(), "may")
	p := newPlace(t, onceFailing(may))
	dir := kept(p)
	writeFile(p, dir, "stale", "of the earlier session\n")
	writeFile(p, filepath.Dir(may), "may", "")
	p.must(0, "run", "--session", "s2", "-o", "quiet")
	require.Equal(t, "A\tone\nA\ttasks/TASK-01_progress.md\nA\ttasks/TASK-01_result.md", p.git("show", "--format=", "--name-status", "main^"))
	require.Equal(t, "1\n2\n", p.read("one")+p.read("two"))
}
