package gitrepo

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
)

// hook writes a hook of the repository.
func (f *fixture) hook(name, script string) {
	f.t.Helper()
	f.write(".git/hooks/"+name, "#!/bin/sh\n"+script+"\n")
	require.NoError(f.t, os.Chmod(filepath.Join(f.dir, ".git/hooks", name), 0o755))
}

// worked builds a TASK up to what its candidate will be.
func (f *fixture) worked(files map[string]string) (stages.Workspace, stages.Candidate) {
	f.t.Helper()
	base := f.tip()
	ws := f.fresh("TASK-01")
	for path, content := range files {
		f.writeIn(ws.Dir, path, content)
	}
	return ws, f.described("TASK-01", base, f.snapshot("TASK-01").Tree)
}

func (f *fixture) refusal(c stages.Candidate) *stages.Fault {
	f.t.Helper()
	_, err := f.repo.CommitHooks(ctx(), c)
	var fault *stages.Fault
	require.ErrorAs(f.t, err, &fault)
	return fault
}

func TestHooksSeeExactlyTheCandidate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws, c := f.worked(map[string]string{"new.txt": "x\n", "a.txt": "two\n"})
	f.write("mine.txt", "the user's, staged\n")
	f.git("add", "mine.txt")
	f.writeIn(ws.Dir, "report.txt", "left by the verifier\n")
	seen := t.TempDir()
	f.hook("pre-commit", "pwd >"+seen+"/dir; git write-tree >"+seen+"/tree; git status --porcelain >"+seen+"/status; cat tasks/TASK-01_result.md >"+seen+"/result; "+
		"env >"+seen+"/env")
	see := func(name string) string {
		b, err := os.ReadFile(filepath.Join(seen, name))
		require.NoError(t, err)
		return strings.TrimSpace(string(b))
	}

	message, err := f.repo.CommitHooks(ctx(), c)

	require.NoError(t, err)
	require.Equal(t, c.Message, message)
	h, err := f.repo.Candidate(ctx(), c)
	require.NoError(t, err)
	tree, err := f.repo.Tree(h)
	require.NoError(t, err)
	require.Equal(t, string(tree), see("tree"))
	require.Equal(t, "M  a.txt\nA  new.txt\nA  tasks/TASK-01_result.md", see("status"), "staged, the files just so, and nothing beside")
	require.Equal(t, ws.Dir, see("dir"))
	require.Contains(t, see("result"), "DONE")
	require.Contains(t, see("env"), "GIT_AUTHOR_NAME=Somebody")
	require.Contains(t, see("env"), "GIT_EDITOR=:")
	require.NotContains(t, see("env"), "GIT_CONFIG_GLOBAL", "it sees no more than a stage does")
	require.Equal(t, "A  mine.txt", f.git("status", "--porcelain"), "the user's index is left alone")
}

func TestHookThatFailsIsAFaultThatHoldsItsOutput(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"pre-commit", "commit-msg"} {
		f := newFixture(t)
		_, c := f.worked(map[string]string{"new.txt": "x\n"})
		f.hook(name, "echo 'line 3: too long'; exit 4")

		fault := f.refusal(c)

		require.Equal(t, "the hook "+name+" failed: exit status 4", fault.Reason)
		require.Equal(t, []dispatch.Failure{{Check: name, Error: "exit status 4. The last it printed:\nline 3: too long"}}, fault.Details)
	}
}

func TestWhatAHookChangesIsNotTakenAndNamed(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"a file":         "echo formatted >a.txt",
		"the index":      "echo formatted >a.txt; git add a.txt; echo two >a.txt",
		"both":           "echo formatted >a.txt; git add a.txt",
		"a removal":      "rm a.txt",
		"what it staged": "git rm -q --cached a.txt",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			ws, c := f.worked(map[string]string{"a.txt": "two\n"})
			f.hook("pre-commit", script)

			fault := f.refusal(c)

			require.Equal(t, "a commit hook changed a.txt", fault.Reason)
			require.Equal(t, []string{"a.txt"}, fault.Details[0].Files)
			b, err := os.ReadFile(filepath.Join(ws.Dir, "a.txt"))
			require.NoError(t, err)
			require.Equal(t, "two\n", string(b), "as its builder left it")
		})
	}
}

func TestFileThatAHookAddsIsNotTakenEither(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, c := f.worked(nil)
	f.hook("commit-msg", "echo x >by-hook.txt")

	require.Equal(t, "a commit hook changed by-hook.txt", f.refusal(c).Reason)
	require.Empty(t, f.snapshot("TASK-01").Changes)
}

func TestCommitMsgWordsTheMessage(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, c := f.worked(nil)
	f.hook("commit-msg", `sed -i '1s/$/ (#12)/' "$1"; echo 'Change-Id: I1' >>"$1"`)

	message, err := f.repo.CommitHooks(ctx(), c)

	require.NoError(t, err)
	require.Equal(t, "feat(TASK-01): work (#12)\n\nPipeline-Task: TASK-01\nChange-Id: I1\n", message)
}

func TestCommitMsgThatSpoilsTheMessageIsAFault(t *testing.T) {
	t.Parallel()
	for script, reason := range map[string]string{
		`: >"$1"`:                      "it is empty",
		`rm "$1"`:                      "no such file",
		`sed -i /Pipeline/d "$1"`:      "changed the trailers that name the TASK: Pipeline-Task: TASK-01",
		`sed -i s/K-01/K-02/ "$1"`:     "changed the trailers",
		`echo >>"$1"; echo end >>"$1"`: "changed the trailers", // they are no trailers any more
		`head -c 1100000 /dev/zero | tr '\0' x >"$1"`: "larger than 1048576 bytes",
	} {
		f := newFixture(t)
		_, c := f.worked(nil)
		f.hook("commit-msg", script)
		require.Contains(t, f.refusal(c).Reason, reason, script)
	}
}

func TestHooksLieWhereCoreHooksPathSays(t *testing.T) {
	t.Parallel()
	elsewhere := t.TempDir()
	for path, dir := range map[string]string{elsewhere: elsewhere, "githooks": "githooks"} {
		f := newRepository(t)
		f.git("config", "core.hooksPath", path)
		f.hook("pre-commit", "echo the wrong one; exit 1")
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(f.dir, dir)
		}
		f.writeIn(dir, "pre-commit", "#!/bin/sh\necho the right one; exit 1\n")
		require.NoError(t, os.Chmod(filepath.Join(dir, "pre-commit"), 0o755))
		f.write("more.txt", "x\n")
		f.commit("hooks")
		f.open()
		_, c := f.worked(nil)
		require.Contains(t, f.refusal(c).Details[0].Error, "the right one", path)
	}
}

func TestHookThatCannotBeExecutedIsPassedOver(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, c := f.worked(nil)
	f.hook("pre-commit", "exit 1")
	require.NoError(t, os.Chmod(filepath.Join(f.dir, ".git/hooks/pre-commit"), 0o644))

	_, err := f.repo.CommitHooks(ctx(), c)

	require.NoError(t, err)
}

func TestHookThatTakesTooLongIsAFault(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *Config) { c.HookLimit = 50 * time.Millisecond })
	_, c := f.worked(nil)
	f.hook("pre-commit", "sleep 60")

	require.Equal(t, "the hook pre-commit failed: timed out after 50ms", f.refusal(c).Reason)
}

func TestHookCutOffByTheRunIsNoFault(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ws, c := f.worked(map[string]string{"new.txt": "x\n"})
	fifo := filepath.Join(t.TempDir(), "begun")
	f.hook("pre-commit", "mkfifo "+fifo+".pipe; : >"+fifo+"; cat "+fifo+".pipe")
	within, cancel := context.WithCancel(ctx())
	ended := make(chan error)
	go func() {
		_, err := f.repo.CommitHooks(within, c)
		ended <- err
	}()
	require.Eventually(t, func() bool { _, err := os.Lstat(fifo); return err == nil }, 10*time.Second, time.Millisecond)
	cancel()
	err := <-ended

	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorAs(t, err, new(*stages.Fault))
	require.NoFileExists(t, filepath.Join(ws.Dir, "tasks/TASK-01_result.md"), "the workspace is given back all the same")
}

func TestWorkspaceIsGivenBackAsItWas(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.tip()
	ws, c := f.worked(map[string]string{"new.txt": "x\n"})
	f.writeIn(ws.Dir, "report.txt", "left by the verifier\n")
	before := f.snapshot("TASK-01").Tree
	f.write("other.txt", "another TASK's\n")
	f.commit("another")
	h, err := f.repo.Candidate(ctx(), c)
	require.NoError(t, err)
	moved := f.land(stages.Landing{Task: "TASK-01", Candidate: h, Base: first})
	c.Parent, c.Tree = moved.Onto, moved.Tree
	f.hook("pre-commit", "test -f other.txt || exit 1; rm new.txt")

	require.Equal(t, "a commit hook changed new.txt", f.refusal(c).Reason)

	require.Equal(t, before, f.snapshot("TASK-01").Tree)
	require.Equal(t, string(first), f.gitIn(ws.Dir, "rev-parse", "HEAD"))
	entries, err := filepath.Glob(filepath.Join(f.repo.indexesDir(), "*"))
	require.NoError(t, err)
	require.Empty(t, entries, "nothing of the hooks' own is left")
}

func TestHooksRunInTheCheckoutWithIsolationNone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, inCheckout)
	_, c := f.worked(map[string]string{"new.txt": "x\n"})
	f.hook("pre-commit", "git diff --cached --name-only; exit 1")

	require.Contains(t, f.refusal(c).Details[0].Error, "new.txt\ntasks/TASK-01_result.md")
	require.Equal(t, "?? new.txt", f.git("status", "--porcelain"), "the index and the files are as they were")
}
