package endtoend

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
)

var seed = flag.Uint64("seed", 1, "what random plans, times and stops are made from")

// holds is the rule that every tree of the random plan keeps: each part says
// its own number, no two flags of a pair stand together, no conflict markers.
const holds = `set -eu
for f in own/*; do test "$(cat "$f")" = "${f#own/}"; done
for f in flag/*-a; do ! test -f "${f%a}b" || { echo "$f and ${f%a}b"; exit 1; }; done 2>&1
! grep -rn '^<<<<<<<\|^>>>>>>>' own shared flag
`

// randomPlan draws TASKs that edit their own file, a file that all share, and
// in pairs what passes alone and breaks together, or collides.
func randomPlan(n int) map[string]string {
	r := rand.New(rand.NewPCG(*seed, 0))
	lines := make([]string, 4*n+8)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %d", i)
	}
	files := map[string]string{
		"holds.sh": holds, "own/start": "start\n", "flag/.keep": "", "shared/all": strings.Join(lines, "\n") + "\n",
	}
	for i := 1; i <= n; i++ {
		id := fmt.Sprintf("TASK-%02d", i)
		build := []string{
			fmt.Sprintf("sleep 0.0%d", r.IntN(9)),
			fmt.Sprintf("echo %d > own/%d", i, i),
			fmt.Sprintf("sed -i 's/^line %d$/line %d of %s/' shared/all", 4*i, 4*i, id),
		}
		switch pair, side := i/4, "ab"[i%2]; i % 4 {
		case 0, 1: // stand together only if one of them gives way
			build = append(build, fmt.Sprintf("if ls flag/%[1]d-? 2>/dev/null | grep -qv -- -%[2]c; then rm -f flag/%[1]d-%[2]c; else echo x > flag/%[1]d-%[2]c; fi", pair, side))
		case 2: // collides with the next one that does
			build = append(build, fmt.Sprintf("grep -qx %d shared/%d 2>/dev/null || echo %[1]d >> shared/%[2]d", i, i/8))
		}
		var deps []string
		for j := max(1, i-20); j < i; j++ {
			if r.IntN(25) == 0 {
				deps = append(deps, fmt.Sprintf("TASK-%02d", j))
			}
		}
		verify := fmt.Sprintf("sh holds.sh\ntest -f own/%d\ngrep -q 'of %s$' shared/all", i, id)
		for _, d := range deps {
			verify += "\ntest -f own/" + strings.TrimLeft(strings.TrimPrefix(d, "TASK-"), "0")
		}
		files["tasks/"+id+".md"] = task(id, strings.Join(build, "\n"), verify, deps...)
	}
	return files
}

func TestEveryCommitOfARandomRunIsGreen(t *testing.T) {
	t.Parallel()
	n := rounds(24, 60)
	files := randomPlan(n)
	p := newPlace(t, files)
	p.must(0, "run", "-j", "8", "-o", "quiet")
	happened := map[string]int{}
	for _, e := range p.events() {
		if what := string(e.Outcome); what != "" {
			happened[what]++
		}
		if e.Type == scheduler.StageFinished && e.Round > 1 && e.Status == dispatch.Fail {
			happened["red on another base"]++
		}
	}
	t.Logf("seed %d: %v", *seed, happened)
	require.Positive(t, happened["moved"], "nothing ever landed beside something else")
	require.Positive(t, happened["red on another base"], "nothing ever broke together")

	tree := filepath.Join(t.TempDir(), "tree")
	p.git("worktree", "add", "-q", "--detach", tree, "main")
	commits := strings.Fields(p.git("rev-list", "--reverse", "main"))
	require.Len(t, commits, n+1)
	landed := map[string]bool{}
	for _, commit := range commits[1:] {
		p.git("-C", tree, "checkout", "-q", "--detach", commit)
		id := p.git("log", "-1", "--format=%(trailers:key=Pipeline-Task,valueonly,separator=)", commit)
		landed[id] = true
		for one := range landed {
			_, script, _ := strings.Cut(files["tasks/"+one+".md"], "## Verify\n\n```sh\n")
			script = strings.TrimSuffix(script, "\n```\n")
			r := p.command("sh", "-ec", "cd '"+tree+"'; "+script)
			require.Zero(t, r.code, "seed %d: after %s (%s) the verifier of %s fails: %s%s", *seed, id, commit, one, r.stdout, r.stderr)
		}
	}
	p.git("worktree", "remove", "--force", tree)
	p.nothingLeft()
	p.must(0, "check")
}
