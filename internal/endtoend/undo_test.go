package endtoend

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// undoable is a place in which two TASKs have landed, with changes of the user's
// that are in nobody's way.
func undoable(t *testing.T) *place {
	t.Helper()
	many := "i=0; while [ $i -lt 400 ]; do echo $i > many/$i; i=$((i+1)); done"
	p := newPlace(t, map[string]string{
		"mine":             "as it was committed\n",
		"kept":             "as it was\n",
		"tasks/TASK-01.md": task("TASK-01", "echo one > one; echo more >> kept", "test -f one"),
		"tasks/TASK-02.md": task("TASK-02", "mkdir -p many; "+many, "test -f one", "TASK-01"),
	})
	p.must(0, "run", "-o", "quiet", "--session", "s1")
	p.write(map[string]string{"mine": "and not committed\n", "staged": "x\n", "untracked": "y\n"})
	p.git("add", "staged")
	return p
}

// tree is the tree of a commit.
func (p *place) tree(of string) string { return p.git("rev-parse", of+"^{tree}") }

func TestUndoThatIsKilledDoesAllOrNothing(t *testing.T) {
	t.Parallel()
	const seed = 7
	random := rand.New(rand.NewPCG(seed, seed))
	for i := range rounds(5, 50) {
		after := time.Duration(10+random.IntN(200)) * time.Millisecond
		t.Run(fmt.Sprintf("%d after %s", i, after), func(t *testing.T) {
			t.Parallel()
			p := undoable(t)
			built, begun := p.git("rev-parse", "main"), p.tree("main~2")
			dirt := p.git("status", "--porcelain")
			cmd := p.start(program, "undo", "s1", "--yes")
			require.NoError(t, cmd.Start())
			kill := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
			_ = cmd.Wait()
			kill.Stop()

			if tip := p.git("rev-parse", "main"); tip != built {
				require.Equal(t, begun, p.tree("main"), "the branch holds a part of it")
				require.Equal(t, built, p.git("rev-parse", "main~2"))
			}
			p.must(0, "undo", "s1", "--yes")

			require.Equal(t, begun, p.tree("main"))
			require.Equal(t, "5", p.git("rev-list", "--count", "main"), "nothing is undone twice")
			require.Equal(t, dirt, p.git("status", "--porcelain"))
			require.Equal(t, "and not committed\n", p.read("mine"))
			p.nothingLeft()
			p.must(0, "check", "s1")
		})
	}
}

// cutOff is an undo that was killed right after the branch moved, before the files
// of the checkout followed.
func cutOff(t *testing.T) *place {
	t.Helper()
	p := undoable(t)
	hook := p.path(".git/hooks/reference-transaction")
	p.write(map[string]string{".git/hooks/reference-transaction": "#!/bin/sh\n" +
		`[ "$1" = committed ] && grep -q refs/heads/main && kill -9 $(cat .git/undoing)` + "\nexit 0\n"})
	require.NoError(t, os.Chmod(hook, 0o755))
	cmd := p.start("sh", "-c", `echo $$ > .git/undoing; exec "$0" undo s1 --yes`, program)
	require.Error(t, cmd.Run())
	require.NoError(t, os.Remove(hook))
	require.Contains(t, p.git("log", "-1", "--format=%s", "main"), "revert(TASK-01)")
	require.FileExists(t, p.path("one"), "the files are behind")
	return p
}

func TestNextCommandFinishesTheCheckoutOfAnUndoThatWasKilled(t *testing.T) {
	t.Parallel()
	for said, args := range map[string][]string{
		"2 done, 0 failed, 0 not started": {"run", "-o", "plain"},
		"nothing to undo on main":         {"undo", "s1", "--yes"},
		"finished the landing on main":    {"doctor", "--fix"},
	} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			p := cutOff(t)

			r := p.must(0, args...)

			require.Contains(t, r.stdout, said)
			require.Equal(t, " M mine\nA  staged\n?? untracked", p.git("status", "--porcelain"))
			p.nothingLeft()
		})
	}
}
