package endtoend

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
)

// Each test here is a fault that tools of this kind have in the real world.

func TestDependentDoesNotStartBeforeItsDependencyHasLanded(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"tasks/TASK-01.md": task("TASK-01", "echo 1 > one", "test -f one"),
		"tasks/TASK-02.md": task("TASK-02", "echo 2 > two", "test -f two"),
		"tasks/TASK-03.md": task("TASK-03", "cat one two > three\ngit log --format=%s | grep TASK-01\ngit log --format=%s | grep TASK-02", "test -f three", "TASK-01", "TASK-02"),
	})
	p.must(0, "run", "-j", "4", "-o", "quiet")
	landed := map[string]bool{}
	for _, e := range p.events() {
		switch {
		case e.Type == scheduler.TaskLanded:
			landed[string(e.Task)] = true
		case e.Type == scheduler.StageStarted && e.Task == "TASK-03":
			require.True(t, landed["TASK-01"] && landed["TASK-02"])
		}
	}
}

func TestStaleWorktreeIsNotBuiltIn(t *testing.T) {
	t.Parallel()
	for name, stale := range map[string]func(p *place, dir string){
		"a folder": func(p *place, dir string) {
			p.write(map[string]string{dir + "/stale": "stale\n", dir + "/tasks/TASK-01.md": "stale\n"})
		},
		"a worktree of somebody else": func(p *place, dir string) {
			p.git("worktree", "add", "-q", "-b", "other", dir)
			p.write(map[string]string{dir + "/stale": "stale\n"})
		},
		"a link to the checkout": func(p *place, dir string) {
			require.NoError(p, os.MkdirAll(filepath.Dir(p.path(dir)), 0o755))
			require.NoError(p, os.Symlink(p.dir, p.path(dir)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{"tasks/TASK-01.md": task("TASK-01", "! test -e stale\necho 1 > one", "! test -e stale")})
			stale(p, ".git/pipeline/worktrees/s1/slot-1")
			p.must(0, "run", "--session", "s1", "-o", "quiet")
			require.Equal(t, "A\tone\nA\ttasks/TASK-01_progress.md\nA\ttasks/TASK-01_result.md", p.git("show", "--format=", "--name-status", "main"))
			require.FileExists(t, p.path("tasks/TASK-01.md"), "nothing of the checkout went away with what was stale")
			require.Empty(t, p.git("status", "--porcelain"))
		})
	}
}

// list is a file to which every TASK adds a line at the same place.
func list(id string) string {
	return task(id, "grep -qx "+id+" list || echo "+id+" >> list\necho x > "+id, "grep -qx "+id+" list")
}

func TestConflictMarkersAreNeverCommitted(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"list": "start\n", "tasks/TASK-01.md": list("TASK-01"), "tasks/TASK-02.md": list("TASK-02"), "tasks/TASK-03.md": list("TASK-03")})
	p.must(0, "run", "-j", "3", "-o", "quiet")
	require.NotContains(t, p.git("log", "-p", "main"), "<<<<<<<")
	require.ElementsMatch(t, []string{"start", "TASK-01", "TASK-02", "TASK-03"}, strings.Fields(p.read("list")))
	told := 0
	for _, e := range p.events() {
		if e.Outcome == scheduler.Conflict {
			told++
			require.Equal(t, []string{"list"}, e.Paths)
			require.Regexp(t, "^TASK-0[1-3]$", e.With)
		}
		if e.Type == scheduler.StageStarted && e.Stage == dispatch.Builder && e.Attempt > 1 {
			require.Contains(t, p.read(fmt.Sprintf(".pipeline/sessions/%s/%s-builder/dispatch-%d.xml", p.events()[0].Session, e.Task, e.Attempt)), "<reason>conflict with TASK-0")
		}
	}
	require.Positive(t, told, "all three stood on the same base")
}

func TestBuilderThatDeletesAllWorkspacesCostsEachOneAttempt(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"keep": "the user's\n"})
	first, second, deleted := newGate(p), newGate(p), newGate(p)
	p.write(map[string]string{
		"tasks/TASK-01.md": task("TASK-01", `if [ "$PIPELINE_ATTEMPT" = 1 ]; then `+first.stop()+`; rm -rf "$(dirname "$PWD")"; `+deleted.stop()+`; exit 0; fi; echo 1 > one`, "test -f one && test -f keep"),
		"tasks/TASK-02.md": task("TASK-02", `if [ "$PIPELINE_ATTEMPT" = 1 ]; then `+second.stop()+`; fi; echo 2 > two`, "test -f two && test -f keep"),
	})
	p.git("add", ".")
	p.git("commit", "-q", "-m", "TASKs")
	run := p.pipelineInBackground("run", "-j", "2", "-o", "plain")
	second.arrival()
	first.arrival()
	first.letGo()
	deleted.arrival()
	second.letGo()
	deleted.letGo()
	r := run.endsWith(0)
	for _, id := range []string{"TASK-01", "TASK-02"} {
		require.Contains(t, r.stdout, id+" builder#1 FAIL")
		require.Contains(t, r.stdout, id+" builder#2 PASS")
	}
	require.Equal(t, "the user's\n", p.read("keep"))
	require.Equal(t, "1\n2\n", p.read("one")+p.read("two"))
	p.nothingLeft()
}

func TestJunkAroundTheCheckoutIsNeverCommitted(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{".gitignore": "*.log\n", "edited": "before\n"})
	p.write(map[string]string{
		"tasks/TASK-01.md": task("TASK-01", "echo x > '"+p.path("thrown-over-the-fence")+"'\necho x > build.log\necho 1 > one", "test -f one"),
	})
	p.git("add", "tasks")
	p.git("commit", "-q", "-m", "TASKs")
	p.write(map[string]string{".env": "secret\n", "node_modules/a/b.js": "junk\n", "core.1234": "junk\n", "edited": "after\n", "staged": "staged\n", "x.log": "junk\n"})
	p.git("add", "staged")
	p.must(0, "run", "-o", "quiet")
	require.Equal(t, "one\ntasks/TASK-01_progress.md\ntasks/TASK-01_result.md", p.git("show", "--format=", "--name-only", "main"))
	require.Equal(t, " M edited\nA  staged\n?? .env\n?? core.1234\n?? node_modules/\n?? thrown-over-the-fence", p.git("status", "--porcelain"))
}

func TestNothingIsStashedForALanding(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"edited": "before\n", "stashed": "before\n",
		"tasks/TASK-01.md": task("TASK-01", "echo 1 > one", "test -f one"),
		"tasks/TASK-02.md": task("TASK-02", "echo 2 > two", "test -f two"),
	})
	p.git("config", "rebase.autoStash", "true")
	p.git("config", "merge.autoStash", "true")
	p.write(map[string]string{"stashed": "kept for later\n"})
	p.git("stash", "-q")
	p.write(map[string]string{"edited": "after\n"})
	p.git("add", "edited")
	p.write(map[string]string{"edited": "after that\n"})
	stash, status, staged := p.git("reflog", "stash"), p.git("status", "--porcelain"), p.git("diff", "--cached")
	p.must(0, "run", "-j", "2", "-o", "quiet")
	require.Equal(t, stash, p.git("reflog", "stash"))
	require.Equal(t, status, p.git("status", "--porcelain"))
	require.Equal(t, staged, p.git("diff", "--cached"))
	require.Equal(t, "after that\n", p.read("edited"))
}

func TestRecordsOfTasksThatRunTogetherAreWholeAndTheirOwn(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 8 {
		id := fmt.Sprintf("TASK-%02d", i+1)
		files["tasks/"+id+".md"] = task(id, "echo x > of-"+id, "test -f of-"+id)
	}
	p := newPlace(t, files)
	p.must(0, "run", "-j", "8", "-o", "quiet")
	for i := range 8 {
		id := fmt.Sprintf("TASK-%02d", i+1)
		for _, record := range []string{"progress", "result"} {
			text := p.read("tasks/" + id + "_" + record + ".md")
			require.Contains(t, text, "of-"+id)
			require.NotRegexp(t, `of-TASK-0[^`+id[6:]+`]`, text, "%s of %s tells of another TASK", record, id)
		}
		require.Contains(t, p.read("tasks/"+id+"_result.md"), "Status: **DONE**")
	}
}

func TestMergeThatNeverSucceedsIsNoSuccess(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"list": "start\n"})
	p.write(map[string]string{
		"tasks/TASK-01.md": task("TASK-01", "printf 'first\\n' > list", "grep -qx first list"),
		// It does not care what stands there, and somebody is always faster.
		"tasks/TASK-02.md": task("TASK-02", `n=$(git -C '`+p.dir+`' rev-list --count main)
echo "mine $PIPELINE_ATTEMPT" > list
cd '`+p.dir+`' && echo "theirs $n" > list && git commit -q -m "Somebody's $n" -- list`, "grep -q mine list", "TASK-01"),
	})
	p.git("add", ".")
	p.git("commit", "-q", "-m", "TASKs")
	r := p.must(1, "run", "-o", "plain")
	require.Contains(t, r.stdout, "TASK-02 FAILED")
	require.Contains(t, r.stderr, "pipeline inspect TASK-02")
	require.NotContains(t, p.git("ls-tree", "-r", "--name-only", "main"), "TASK-02_result.md")
	require.NotContains(t, p.git("log", "--format=%B", "main"), "Pipeline-Task: TASK-02")
	require.Regexp(t, `^theirs \d+$`, p.git("show", "main:list"))
}

func TestBranchesNamedLikeATaskAreLeftAlone(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"tasks/TASK-01.md": task("TASK-01", "echo 1 > one", "test -f one")})
	for _, name := range []string{"TASK-01", "pipeline/TASK-01", "pipeline/s1/TASK-01", "s1"} {
		p.git("branch", name)
	}
	p.git("tag", "refs/pipeline/s1/TASK-01")
	before := p.git("for-each-ref", "refs/heads/TASK-01", "refs/heads/pipeline", "refs/heads/s1", "refs/tags")
	p.must(0, "run", "--session", "s1", "-o", "quiet")
	require.Equal(t, before, p.git("for-each-ref", "refs/heads/TASK-01", "refs/heads/pipeline", "refs/heads/s1", "refs/tags"))
	require.Equal(t, "2", p.git("rev-list", "--count", "refs/heads/main"))
}

func TestUntrackedFileInTheWayIsKeptAndTheSameCommitLandsLater(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"tasks/TASK-01.md": task("TASK-01", "echo built > one", "test -f one")})
	p.write(map[string]string{"one": "the user's\n"})
	r := p.must(8, "run", "-o", "plain")
	require.Contains(t, r.stdout, "TASK-01 blocked by your uncommitted changes: one")
	require.Contains(t, r.stderr, "pipeline resume")
	require.Equal(t, "the user's\n", p.read("one"))
	candidate := p.git("rev-parse", "refs/pipeline/"+string(p.events()[0].Session)+"/TASK-01")
	require.Equal(t, "1", p.git("rev-list", "--count", "main"))

	require.NoError(t, os.Rename(p.path("one"), p.path("mine")))
	p.must(0, "resume", "-o", "quiet")
	require.Equal(t, candidate, p.git("rev-parse", "main"))
	require.Equal(t, "built\nthe user's\n", p.read("one")+p.read("mine"))
	p.nothingLeft()
}

func TestTwoThatPassAloneAndBreakTogetherNeverLandAsTheyAre(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	gates := []*gate{newGate(p), newGate(p)}
	half := func(id, file string, g *gate) string {
		return task(id, `if [ "$PIPELINE_ATTEMPT" = 1 ]; then `+g.stop()+`; echo x > `+file+`; else rm -f `+file+`; echo x > gave-way; fi`, "! { test -f one && test -f two; }")
	}
	p.write(map[string]string{"tasks/TASK-01.md": half("TASK-01", "one", gates[0]), "tasks/TASK-02.md": half("TASK-02", "two", gates[1])})
	p.git("add", ".")
	p.git("commit", "-q", "-m", "TASKs")
	run := p.pipelineInBackground("run", "-j", "2", "-o", "plain")
	for _, g := range gates {
		g.arrival()
	}
	for _, g := range gates {
		g.letGo()
	}
	r := run.endsWith(0)
	require.Regexp(t, `(?m)^TASK-0\d verifier#1\.2 FAIL `, r.stdout)
	require.Len(t, strings.Fields(p.git("ls-tree", "--name-only", "main", "one", "two")), 1)
	reds := 0
	for _, e := range p.events() {
		if e.Type == scheduler.StageFinished && e.Status == dispatch.Fail {
			reds++
			told := p.read(".pipeline/sessions/" + p.events()[0].Session + "/" + string(e.Task) + "-builder/dispatch-2.xml")
			require.Contains(t, told, "<error>", "the builder is told what failed")
			require.Contains(t, told, "test -f one")
		}
	}
	require.Equal(t, 1, reds)
}
