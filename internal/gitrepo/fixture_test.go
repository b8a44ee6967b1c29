package gitrepo

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// TestMain keeps the machine's own git configuration out of every test. A test
// binary that a test has started has its home already, and may be killed.
func TestMain(m *testing.M) {
	if os.Getenv(landingChild) != "" {
		os.Exit(m.Run())
	}
	home, err := os.MkdirTemp("", "gitrepo-home-")
	if err != nil {
		panic(err)
	}
	for key, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"),
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": filepath.Join(home, ".gitconfig"),
	} {
		if err := os.Setenv(key, value); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	_ = os.RemoveAll(home)
	os.Exit(code)
}

// fixture is a repository of its own for one test.
type fixture struct {
	t    testing.TB
	dir  string
	repo *Repo
}

// noon is the time of all candidates in tests.
func noon() time.Time { return time.Date(2026, 3, 12, 12, 0, 0, 0, time.FixedZone("KST", 9*3600)) }

// newRepository makes a repository with one commit: a.txt, dir/b.txt, tasks/.
func newRepository(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{t: t, dir: t.TempDir()}
	f.git("init", "-q", "-b", "main")
	f.git("config", "user.name", "Somebody")
	f.git("config", "user.email", "some@example.com")
	f.write("a.txt", "one\n")
	f.write("dir/b.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	f.write("tasks/TASK-01.md", "# TASK-01: first\n")
	f.commit("start")
	return f
}

// newFixture opens such a repository for the session "s1".
func newFixture(t testing.TB, with ...func(*Config)) *fixture {
	t.Helper()
	f := newRepository(t)
	f.open(with...)
	if tt, ok := t.(*testing.T); ok {
		tt.Cleanup(func() {
			if !tt.Failed() {
				f.fsck()
			}
		})
	}
	return f
}

func (f *fixture) config(with ...func(*Config)) Config {
	cfg := Config{Dir: f.dir, Session: "s1", TasksDir: filepath.Join(f.dir, "tasks")}
	for _, w := range with {
		w(&cfg)
	}
	return cfg
}

func (f *fixture) open(with ...func(*Config)) *Repo {
	f.t.Helper()
	repo, err := Open(ctx(), f.config(with...))
	require.NoError(f.t, err)
	f.repo = repo
	f.t.Cleanup(func() { _ = repo.refs.stop() })
	return repo
}

func ctx() context.Context { return context.Background() }

// git runs git in the checkout and returns what it printed.
func (f *fixture) git(args ...string) string {
	f.t.Helper()
	return f.gitIn(f.dir, args...)
}

func (f *fixture) gitIn(dir string, args ...string) string {
	f.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(f.t, err, "git %v: %s", args, out)
	return strings.TrimRight(string(out), "\n")
}

func (f *fixture) fsck() {
	f.t.Helper()
	require.Empty(f.t, f.git("fsck", "--strict", "--no-dangling"))
}

func (f *fixture) write(path, content string) { f.writeIn(f.dir, path, content) }

func (f *fixture) writeIn(dir, path, content string) {
	f.t.Helper()
	full := filepath.Join(dir, path)
	require.NoError(f.t, os.MkdirAll(filepath.Dir(full), 0o755))
	require.NoError(f.t, os.WriteFile(full, []byte(content), 0o644))
}

func (f *fixture) read(path string) string {
	f.t.Helper()
	b, err := os.ReadFile(filepath.Join(f.dir, path))
	require.NoError(f.t, err)
	return string(b)
}

func (f *fixture) commit(message string) stages.Hash {
	f.t.Helper()
	f.git("add", "-A")
	f.git("commit", "-q", "--no-verify", "-m", message)
	return f.head()
}

func (f *fixture) head() stages.Hash {
	f.t.Helper()
	return stages.Hash(f.git("rev-parse", "HEAD"))
}

func (f *fixture) tip() stages.Hash {
	f.t.Helper()
	tip, err := f.repo.Tip(ctx())
	require.NoError(f.t, err)
	return tip
}

// fresh opens a TASK's workspace on the tip.
func (f *fixture) fresh(task tasks.ID) stages.Workspace {
	f.t.Helper()
	return f.lease(stages.Lease{Task: task, Base: f.tip()})
}

func (f *fixture) lease(l stages.Lease) stages.Workspace {
	f.t.Helper()
	ws, err := f.repo.Open(ctx(), l)
	require.NoError(f.t, err)
	return ws
}

func (f *fixture) snapshot(task tasks.ID) stages.Snapshot {
	f.t.Helper()
	snap, err := f.repo.Snapshot(ctx(), task, nil)
	require.NoError(f.t, err)
	return snap
}

// candidate snapshots a workspace and commits it on base.
func (f *fixture) candidate(task tasks.ID, base stages.Hash) (stages.Hash, stages.Snapshot) {
	f.t.Helper()
	snap := f.snapshot(task)
	h, err := f.repo.Candidate(ctx(), f.described(task, base, snap.Tree))
	require.NoError(f.t, err)
	return h, snap
}

func (f *fixture) described(task tasks.ID, base, tree stages.Hash) stages.Candidate {
	c := stages.Candidate{
		Task: task, Parent: base, Tree: tree, Time: noon(),
		Message: "feat(" + string(task) + "): work\n\nPipeline-Task: " + string(task) + "\n",
	}
	result := []byte("# " + string(task) + " Result\n\n> Status: **DONE**\n")
	if path := f.repo.Where(task).ResultPath; path != "" {
		c.Files = map[string][]byte{path: result}
	} else {
		c.Outside = map[string][]byte{string(task) + "_result.md": result}
	}
	return c
}

// build does a whole TASK up to its candidate: files by path, in a fresh workspace.
func (f *fixture) build(task tasks.ID, files map[string]string) stages.Landing {
	f.t.Helper()
	base := f.tip()
	ws := f.lease(stages.Lease{Task: task, Base: base})
	for path, content := range files {
		f.writeIn(ws.Dir, path, content)
	}
	require.NoError(f.t, os.WriteFile(ws.Progress, []byte("# progress of "+task+"\n"), 0o644))
	h, _ := f.candidate(task, base)
	return stages.Landing{Task: task, Candidate: h, Base: base}
}

func (f *fixture) land(l stages.Landing) stages.LandingResult {
	f.t.Helper()
	res, err := f.repo.Land(ctx(), l)
	require.NoError(f.t, err)
	return res
}

func (f *fixture) requireFault(err error, reason string) {
	f.t.Helper()
	var fault *stages.Fault
	require.ErrorAs(f.t, err, &fault)
	require.Contains(f.t, fault.Reason, reason)
}

// files lists a tree as "mode path", sorted by path.
func (f *fixture) files(tree stages.Hash) []string {
	f.t.Helper()
	var out []string
	for line := range strings.SplitSeq(f.git("-c", "core.quotePath=false", "ls-tree", "-r", string(tree)), "\n") {
		meta, path, _ := strings.Cut(line, "\t")
		out = append(out, strings.Fields(meta)[0]+" "+path)
	}
	return out
}
