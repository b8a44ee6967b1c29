package endtoend

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBranchMovedByAPersonInTheMiddle(t *testing.T) {
	t.Parallel()
	during := func(t *testing.T, meanwhile func(p *place)) (*place, result) {
		p := newPlace(t, twoTasks())
		g := newGate(p)
		p.write(map[string]string{"tasks/TASK-01.md": task("TASK-01", g.stopOnce()+"\necho 1 > one", "test -f one")})
		p.git("commit", "-q", "-a", "-m", "Stop")
		run := p.pipelineInBackground("run", "-o", "plain")
		g.arrival()
		meanwhile(p)
		g.letGo()
		return p, run.end()
	}
	t.Run("a commit more", func(t *testing.T) {
		t.Parallel()
		p, r := during(t, func(p *place) {
			p.write(map[string]string{"theirs": "x\n"})
			p.git("add", "theirs")
			p.git("commit", "-q", "-m", "Theirs")
		})
		require.Zero(t, r.code, r.stderr)
		require.Contains(t, r.stdout, "TASK-01 verifier#1.2 PASS")
		require.FileExists(t, p.path("theirs"))
		p.nothingLeft()
	})
	t.Run("moved back", func(t *testing.T) {
		t.Parallel()
		p, r := during(t, func(p *place) { p.git("commit", "-q", "--amend", "-m", "Another") })
		require.Equal(t, 2, r.code, "%s%s", r.stdout, r.stderr)
		require.Contains(t, r.stderr, "somebody moved the branch back")
		require.Contains(t, r.stderr, "next: ")
		require.Equal(t, "Another", p.git("log", "-1", "--format=%s", "main"))
		p.must(0, "run", "-o", "quiet")
		p.built()
	})
	t.Run("deleted", func(t *testing.T) {
		t.Parallel()
		p, r := during(t, func(p *place) { p.git("update-ref", "-d", "refs/heads/main") })
		require.Equal(t, 2, r.code, "%s%s", r.stdout, r.stderr)
		require.Contains(t, r.stderr, "the branch main is gone")
		require.Contains(t, r.stderr, "next: ")
		p.git("update-ref", "refs/heads/main", p.git("rev-parse", "refs/pipeline/"+p.events()[0].Session+"/TASK-01^"))
		p.must(0, "resume", "-o", "quiet")
		p.built()
	})
	t.Run("another branch checked out", func(t *testing.T) {
		t.Parallel()
		p, r := during(t, func(p *place) { p.git("switch", "-q", "-c", "elsewhere") })
		require.Zero(t, r.code, r.stderr)
		require.Equal(t, "4", p.git("rev-list", "--count", "main"))
		require.Equal(t, "2", p.git("rev-list", "--count", "elsewhere"))
		require.NoFileExists(t, p.path("one"), "the checkout does not follow a branch that it does not stand on")
		require.Empty(t, p.git("status", "--porcelain"))
	})
}

func TestLandedCommitMovedByAPersonInTheMiddle(t *testing.T) {
	t.Parallel()
	during := func(t *testing.T, meanwhile func(p *place)) *place {
		p := newPlace(t, twoTasks())
		g := newGate(p)
		p.write(map[string]string{"tasks/TASK-02.md": task("TASK-02", g.stopOnce()+"\necho 2 > two", "test -f one", "TASK-01")})
		p.git("commit", "-q", "-a", "-m", "Stop")
		p.write(map[string]string{"mine": "the user's\n"})
		run := p.pipelineInBackground("run", "-o", "plain")
		g.arrival()
		meanwhile(p)
		at := p.git("rev-parse", "main")
		g.letGo()
		r := run.endsWith(2)
		require.Contains(t, r.stderr, "somebody moved the branch back")
		require.Contains(t, r.stderr, "next: ")
		require.Equal(t, at, p.git("rev-parse", "main"), "it stays where the person put it")
		return p
	}
	t.Run("taken away", func(t *testing.T) {
		t.Parallel()
		p := during(t, func(p *place) { p.git("reset", "-q", "--keep", "HEAD^") })
		p.must(0, "run", "-o", "quiet")
		p.built()
		require.Equal(t, "the user's\n", p.read("mine"))
	})
	t.Run("amended", func(t *testing.T) {
		t.Parallel()
		p := during(t, func(p *place) {
			p.git("commit", "-q", "--amend", "-m", "Another word for it\n\n"+p.git("log", "-1", "--format=%(trailers)"))
		})
		require.NotContains(t, p.must(0, "run", "-o", "plain").stdout, "TASK-01 builder#", "it has landed, under another name")
		require.Equal(t, "Another word for it", p.git("log", "-1", "--format=%s", "main^"))
		require.Equal(t, "1\n2\n", p.read("one")+p.read("two"))
		require.Equal(t, "the user's\n", p.read("mine"))
		p.nothingLeft()
	})
}
