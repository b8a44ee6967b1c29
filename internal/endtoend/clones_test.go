package endtoend

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// clone makes a clone in which somebody else works.
func (p *place) clone() *place {
	p.Helper()
	c := &place{T: p.T, dir: p.TempDir(), env: p.env}
	p.git("clone", "-q", p.dir, c.dir)
	c.git("config", "user.name", "Somebody Else")
	c.git("config", "user.email", "else@example.org")
	return c
}

func TestTwoClonesBuildApartAndAgreeOnceTheyAreMerged(t *testing.T) {
	t.Parallel()
	files := twoTasks()
	files["tasks/TASK-02.md"] = task("TASK-02", "echo 2 > two", "test -f two")
	p := newPlace(t, files)
	a, b := p.clone(), p.clone()
	first, second := a.pipelineInBackground("run", "TASK-01", "-o", "quiet"), b.pipelineInBackground("run", "TASK-02", "-o", "quiet")
	first.endsWith(0)
	second.endsWith(0)
	b.git("pull", "-q", "--rebase", a.dir, "main")
	require.Contains(t, b.must(0, "run").stdout, "2 up to date")
	require.Equal(t, "1\n2\n", b.read("one")+b.read("two"))
	a.git("pull", "-q", "--no-rebase", "--no-edit", b.dir, "main")
	require.Contains(t, a.must(0, "run").stdout, "2 up to date")
}

func TestPullInTheMiddleOfARunIsBuiltOn(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	g := newGate(p)
	p.write(map[string]string{
		"tasks/TASK-01.md": task("TASK-01", "echo 1 > one", "test -f one"),
		"tasks/TASK-02.md": task("TASK-02", g.stopOnce()+"\necho 2 > two", "test -f two"),
	})
	p.git("add", ".")
	p.git("commit", "-q", "-m", "TASKs")
	theirs := p.clone()
	theirs.must(0, "run", "TASK-01", "-o", "quiet")

	run := p.pipelineInBackground("run", "TASK-02", "-o", "plain")
	g.arrival()
	p.git("pull", "-q", "--ff-only", theirs.dir, "main")
	g.letGo()
	r := run.endsWith(0)

	require.Contains(t, r.stdout, "TASK-02 verifier#1.2 PASS")
	require.Contains(t, p.must(0, "run").stdout, "2 up to date")
	p.nothingLeft()
	theirs.git("pull", "-q", "--ff-only", p.dir, "main")
	require.Contains(t, theirs.must(0, "run").stdout, "2 up to date")
}

func TestTaskThatIsPulledWhileItIsBuiltDoesNotLandTwice(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	g := newGate(p)
	p.write(map[string]string{
		"tasks/TASK-01.md": task("TASK-01", g.stopOnce()+"\necho 1 > one", "test -f one"),
		"tasks/TASK-02.md": twoTasks()["tasks/TASK-02.md"],
	})
	p.git("add", ".")
	p.git("commit", "-q", "-m", "TASKs")
	theirs := p.clone()

	run := p.pipelineInBackground("run", "-o", "plain")
	g.arrival()
	theirs.must(0, "run", "TASK-01", "-o", "quiet")
	p.git("pull", "-q", "--ff-only", theirs.dir, "main")
	g.letGo()
	r := run.end()

	require.Equal(t, 1, r.code, "what is there already is no work of this run's: %s%s", r.stdout, r.stderr)
	require.Contains(t, r.stderr, "next: ")
	require.Contains(t, p.must(0, "run", "-o", "plain").stdout, "TASK-01 done on the branch")
	require.Equal(t, 1, strings.Count(p.git("log", "--format=%B", "main"), "Pipeline-Task: TASK-01\n"))
	p.built()
}

func TestTaskBuiltInTwoClonesIsMergedByPeopleAndUpToDateThen(t *testing.T) {
	t.Parallel()
	files := twoTasks()
	files["tasks/TASK-01.md"] = task("TASK-01", "git rev-parse --path-format=absolute --git-common-dir > one", "test -f one")
	p := newPlace(t, files)
	a, b := p.clone(), p.clone()
	a.must(0, "run", "TASK-01", "-o", "quiet")
	b.must(0, "run", "-o", "quiet")
	require.NotZero(t, b.command("git", "pull", "-q", "--no-rebase", "--no-edit", a.dir, "main").code, "both have built TASK-01")

	r := b.must(2, "run", "--force", "TASK-02")
	require.Contains(t, r.stderr, "merge")
	require.Contains(t, r.stderr, "next: ")

	b.git("checkout", "-q", "--ours", ".")
	b.git("add", ".")
	b.git("commit", "-q", "--no-edit")
	require.Contains(t, b.must(0, "run").stdout, "2 up to date")
	b.nothingLeft()
	b.must(0, "check")
}
