package endtoend

import (
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEveryErrorOfALandingNamesTheNextCommandAndIsMendedByIt(t *testing.T) {
	t.Parallel()
	remove := func(name string) func(p *place, said string) {
		return func(p *place, _ string) { require.NoError(p, os.Remove(p.path(name))) }
	}
	lock := func(name string) func(p *place) {
		return func(p *place) { p.write(map[string]string{name: ""}) }
	}
	cutOff := func(at string, then func(p *place)) func(p *place) {
		return func(p *place) {
			p.killedAt(stop{at, 1})("run", "-o", "quiet")
			then(p)
		}
	}
	mine := func(p *place) { p.write(map[string]string{"one": "mine\n"}) }
	command := regexp.MustCompile("`(git branch main [0-9a-f]+)`")
	makeAgain := func(p *place, said string) {
		typed := command.FindStringSubmatch(said)
		require.NotNil(p, typed, said)
		require.Zero(p, p.command("sh", "-c", typed[1]).code, typed[1])
	}
	for name, c := range map[string]struct {
		wrong func(p *place)
		verb  string
		code  int
		said  string
		mend  func(p *place, said string)
	}{
		"file in the way": {mine, "run", 8, "in the way of landing", remove("one")},
		"index locked":    {lock(".git/index.lock"), "run", 2, "index.lock", remove(".git/index.lock")},
		"branch locked":   {lock(".git/refs/heads/main.lock"), "run", 2, "main.lock", remove(".git/refs/heads/main.lock")},
		"refused by a hook": {func(p *place) {
			p.write(map[string]string{".git/hooks/reference-transaction": "#!/bin/sh\n! grep -q refs/heads/main\n"})
			require.NoError(p, os.Chmod(p.path(".git/hooks/reference-transaction"), 0o755))
		}, "run", 2, "aborted by hook", remove(".git/hooks/reference-transaction")},
		"behind, and a file in the way": {cutOff("after branch move", mine), "resume", 8,
			"the checkout is behind its branch, and one of yours is in the way", remove("one")},
		"behind, and the index locked since": {cutOff("after branch move", func(p *place) {
			hourAgo := time.Now().Add(-time.Hour)
			require.NoError(p, os.Chtimes(p.path(".git/pipeline/landing"), hourAgo, hourAgo))
			lock(".git/index.lock")(p)
		}), "resume", 8, "the checkout is behind its branch, and .git/index.lock is there", remove(".git/index.lock")},
		"branch deleted": {cutOff("before branch move", func(p *place) {
			p.git("update-ref", "-d", "refs/heads/main")
		}), "resume", 2, "the branch main, which session ", makeAgain},
		"branch deleted, and another checked out": {cutOff("before branch move", func(p *place) {
			p.git("switch", "-q", "-c", "elsewhere")
			p.git("branch", "-q", "-D", "main")
		}), "resume", 2, "the branch main, which session ", func(p *place, said string) {
			require.Empty(p, p.git("for-each-ref", "refs/heads/main"), "it is not made of what is checked out")
			makeAgain(p, said)
			p.git("switch", "-q", "main")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, twoTasks())
			c.wrong(p)
			r := p.must(c.code, c.verb)
			require.Contains(t, r.stderr, c.said)
			require.Regexp(t, "(?m)^  next: .*`pipeline resume", r.stderr)
			require.NotContains(t, p.must(c.code, "resume").stderr, "goroutine ", "and says so again")
			c.mend(p, r.stderr)
			p.must(0, "resume", "-o", "quiet")
			p.built()
		})
	}
}
