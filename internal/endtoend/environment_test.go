package endtoend

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// twoTasks is a plan of two TASKs, the second of which needs the first.
func twoTasks() map[string]string {
	return map[string]string{
		"tasks/TASK-01.md": task("TASK-01", "echo 1 > one", "test -f one"),
		"tasks/TASK-02.md": task("TASK-02", "echo 2 > two", "test -f one", "TASK-01"),
	}
}

// built wants the plan of two TASKs to have been built, once each.
func (p *place) built() {
	p.Helper()
	require.Equal(p, "TASK-02\nTASK-01", strings.TrimSpace(p.git("log", "--format=%(trailers:key=Pipeline-Task,valueonly,separator=)", "main")))
	require.Equal(p, "1\n2\n", p.read("one")+p.read("two"))
	p.must(0, "check")
	p.nothingLeft()
}

func TestFullDiskEndsTheRunAndNothingIsLost(t *testing.T) {
	t.Parallel()
	// A limit on the size of a file is a full disk that any user can have.
	for _, blocks := range []string{"0", "1", "4", "16"} {
		t.Run(blocks, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, twoTasks())
			p.write(map[string]string{"mine": "the user's\n"})
			r := p.command("sh", "-c", `ulimit -f `+blocks+`; trap '' XFSZ; exec "$0" run -o plain`, program)
			if r.code == 0 {
				p.built()
				return
			}
			require.Equal(t, 2, r.code, "%s%s", r.stdout, r.stderr)
			require.Contains(t, r.stderr, "file too large")
			require.Contains(t, r.stderr, "next: ")
			require.NotContains(t, r.stderr, "goroutine ")
			p.must(0, "run", "-o", "quiet")
			p.built()
			require.Equal(t, "the user's\n", p.read("mine"))
		})
	}
}

func TestFullFileSystemEndsTheRunAndNothingIsLost(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	// The whole life of the file system is one command, for it lives in a name space of its own.
	p.write(map[string]string{"plan/TASK-01.md": twoTasks()["tasks/TASK-01.md"], "plan/TASK-02.md": twoTasks()["tasks/TASK-02.md"], "live.sh": `set -eu
mount -t tmpfs -o size=1m,mode=755 none "$1" || exit 77
cd "$1"
git init -q -b main
git config user.name Somebody
git config user.email some@example.org
mkdir tasks && cp "$2"/plan/* tasks
git add . && git commit -qm Plan
head -c "$3" /dev/zero > filler 2>/dev/null || :
code=0
"$4" run -o plain || code=$?
echo "first: $code"
rm filler
"$4" run -o plain
"$4" check
git fsck --strict
git status --porcelain
git log --format=%s
`})
	mounted := t.TempDir()
	for _, filler := range []string{"600000", "800000", "900000", "1000000", "1048576"} {
		r := p.command("unshare", "-rm", "sh", p.path("live.sh"), mounted, p.dir, filler, program)
		require.NotEqual(t, 77, r.code, "this machine lets nobody mount a tmpfs: %s", r.stderr)
		require.Zero(t, r.code, "%s bytes taken: %s%s", filler, r.stdout, r.stderr)
		require.Regexp(t, `(?m)^first: [02]$`, r.stdout, "%s bytes taken: %s", filler, r.stderr)
		require.Contains(t, r.stdout, "feat(TASK-02): Part TASK-02\nfeat(TASK-01): Part TASK-01\nPlan\n")
		if strings.Contains(r.stdout, "first: 2") {
			require.Contains(t, r.stderr, "next: ")
		}
	}
}

// pipelineAsNobody runs the program as a user who may not write what is
// read-only, which root may. The repository is that user's.
func (p *place) pipelineAsNobody(args ...string) result {
	p.Helper()
	var out, said bytes.Buffer
	cmd := p.start(program, args...)
	cmd.Env = append(cmd.Env, "HOME="+p.dir)
	cmd.Stdout, cmd.Stderr = &out, &said
	if os.Geteuid() == 0 {
		require.NoError(p, os.Chmod(filepath.Dir(p.dir), 0o755))
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	if err := cmd.Run(); cmd.ProcessState == nil {
		require.NoError(p, err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), said.String()}
}

// giveToNobody makes the repository that user's.
func (p *place) giveToNobody() {
	p.Helper()
	if os.Geteuid() == 0 {
		require.NoError(p, exec.Command("chown", "-R", "65534:65534", p.dir).Run())
	}
}

func TestReadOnlyFolderOfATaskStopsNoOther(t *testing.T) {
	t.Parallel()
	files := twoTasks()
	files["tasks/TASK-01.md"] = task("TASK-01", "echo 1 > one; mkdir -p mod/deep; echo x > mod/deep/x; chmod 555 mod mod/deep", "mkdir -p junk/deep; echo x > junk/deep/x; chmod 555 junk/deep junk")
	files["tasks/TASK-02.md"] = task("TASK-02", "echo 2 > two; ! test -e junk; test -f mod/deep/x", "true", "TASK-01")
	p := newPlace(t, files)
	p.giveToNobody()
	r := p.pipelineAsNobody("run", "-j", "1", "-o", "plain")
	require.Zero(t, r.code, "%s%s", r.stdout, r.stderr)
	require.Contains(t, r.stdout, "2 done")
}

func TestStateFolderThatCannotBeWrittenStopsTheRunBeforeItBegins(t *testing.T) {
	t.Parallel()
	p := newPlace(t, twoTasks())
	require.NoError(t, os.Mkdir(p.path(".pipeline"), 0o555))
	p.giveToNobody()
	require.NoError(t, os.Chown(p.path(".pipeline"), os.Geteuid(), os.Getegid()))
	r := p.pipelineAsNobody("run", "-o", "plain")
	require.Equal(t, 2, r.code, r.stderr)
	require.Contains(t, r.stderr, "permission denied")
	require.Contains(t, r.stderr, ".pipeline")
	require.Contains(t, r.stderr, "next: ")
}

func TestClockThatJumpsBackDoesNotMatter(t *testing.T) {
	t.Parallel()
	files := twoTasks()
	files["tasks/TASK-02.md"] = task("TASK-02", `test "$PIPELINE_ATTEMPT" -gt 1 && echo 2 > two`, "test -f one", "TASK-01")
	p := newPlace(t, files)
	p.must(1, "run", "--attempts", "1", "-o", "quiet")
	session := p.events()[0].Session
	record := ".pipeline/sessions/" + session + "/events.jsonl"
	year := regexp.MustCompile(`"time":"\d{4}`)
	p.write(map[string]string{record: year.ReplaceAllString(p.read(record), `"time":"2199`)})

	r := p.must(0, "retry", "TASK-02")
	for _, said := range []string{r.stdout, p.must(0, "status").stdout, p.must(0, "inspect", "TASK-02").stdout, p.must(0, "sessions").stdout} {
		require.NotRegexp(t, `-\d+(\.\d+)?(s|m|h)`, said, "a time that is less than nothing")
	}
	p.built()
}

func TestWorktreeRemovedUnderARunningStageCostsOneAttempt(t *testing.T) {
	t.Parallel()
	p := newPlace(t, twoTasks())
	g := newGate(p)
	p.write(map[string]string{"tasks/TASK-01.md": task("TASK-01", `if [ "$PIPELINE_ATTEMPT" = 1 ]; then `+g.stop()+`; fi; echo 1 > one`, "test -f one")})
	p.git("commit", "-q", "-a", "-m", "Stop once")
	run := p.pipelineInBackground("run", "-o", "plain")
	g.arrival()
	slots, err := filepath.Glob(p.path(".git/pipeline/worktrees/*/slot-*"))
	require.NoError(t, err)
	require.Len(t, slots, 1)
	p.git("worktree", "remove", "--force", slots[0])
	g.letGo()
	r := run.endsWith(0)
	require.Contains(t, r.stdout, "TASK-01 builder#1 FAIL")
	require.Contains(t, r.stdout, "TASK-01 builder#2 PASS")
	p.nothingLeft()
}

func TestIndexLockedBySomebodyElseIsNotBrokenAndTheTaskLandsLater(t *testing.T) {
	t.Parallel()
	for name, age := range map[string]time.Duration{"young": 0, "old": 48 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, twoTasks())
			lock := p.path(".git/index.lock")
			require.NoError(t, os.WriteFile(lock, nil, 0o600))
			when := time.Now().Add(-age)
			require.NoError(t, os.Chtimes(lock, when, when))
			r := p.pipeline("run", "-o", "plain")
			require.Equal(t, 2, r.code, "%s%s", r.stdout, r.stderr)
			require.Contains(t, r.stderr, "index.lock")
			require.Contains(t, r.stderr, "next: ")
			require.FileExists(t, lock)
			require.NoError(t, os.Remove(lock))
			candidate := p.git("rev-parse", "refs/pipeline/"+p.events()[0].Session+"/TASK-01")
			p.must(0, "resume", "-o", "quiet")
			require.Equal(t, candidate, p.git("rev-parse", "main^"))
			p.built()
		})
	}
}

func TestManyRunsInARowLeaveNothing(t *testing.T) {
	t.Parallel()
	files := twoTasks()
	files["tasks/TASK-01.md"] = task("TASK-01", "date +%s%N > one", "test -f one")
	files["tasks/TASK-02.md"] = task("TASK-02", "date +%s%N > two", "test -f one", "TASK-01")
	p := newPlace(t, files)
	temp := t.TempDir()
	p.env = append(p.env, "TMPDIR="+temp)
	for range rounds(10, 200) {
		p.must(0, "run", "-j", "2", "--force", "TASK-01", "--force", "TASK-02", "-o", "quiet")
		p.nothingLeft()
		left, err := os.ReadDir(temp)
		require.NoError(t, err)
		require.Empty(t, left, "temporary files are left")
	}
	var inGit []string
	for _, dir := range []string{".git/pipeline", ".git/worktrees"} {
		require.NoError(t, filepath.WalkDir(p.path(dir), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil
			}
			inGit = append(inGit, path)
			return nil
		}))
	}
	require.LessOrEqual(t, len(inGit), 1, "only the lock's file stays: %v", inGit)
	require.Empty(t, processesIn(t, p.dir), "a process is left")
}

// processesIn lists the processes whose working directory is below dir.
func processesIn(t *testing.T, dir string) []string {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	require.NoError(t, err)
	require.NotEmpty(t, links, "this machine has no /proc to look at")
	var out []string
	for _, link := range links {
		if at, err := os.Readlink(link); err == nil && (at == dir || strings.HasPrefix(at, dir+"/")) {
			out = append(out, filepath.Dir(link)+" in "+at)
		}
	}
	return out
}
