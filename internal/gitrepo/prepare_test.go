package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
)

func TestPrepareRunsOnceInEachNewWorkspace(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.write(".gitignore", "deps\n")
	f.commit("ignore")
	f.open(func(c *Config) { c.Prepare = []string{"echo ran >> deps", "echo touched > a.txt"} })
	ws := f.fresh("TASK-01")
	require.Empty(t, f.snapshot("TASK-01").Changes, "what prepare did is not the TASK's work")
	require.NoError(t, f.repo.Close(ctx(), "TASK-01", false))
	f.fresh("TASK-02")

	b, err := os.ReadFile(filepath.Join(ws.Dir, "deps"))
	require.NoError(t, err)
	require.Equal(t, "ran\n", string(b))
}

func TestPrepareThatFailsStopsTheRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *Config) { c.Prepare = []string{"echo no network >&2; exit 3"} })

	_, err := f.repo.Open(ctx(), stages.Lease{Task: "TASK-01", Base: f.tip()})

	require.ErrorContains(t, err, "no network")
	require.NotErrorAs(t, err, new(*stages.Fault))
}

// prepared opens a repository whose prepare counts its runs in a file that is
// ignored and that depends on go.mod and on all of tools/.
func prepared(t *testing.T) *fixture {
	t.Helper()
	f := newRepository(t)
	f.write(".gitignore", "deps\n")
	f.write("go.mod", "module one\n")
	f.write("tools/x/gen.txt", "one\n")
	f.commit("a project")
	f.open(func(c *Config) {
		c.Prepare, c.PrepareKey = []string{"echo ran >> deps"}, []string{"go.mod", "tools"}
	})
	return f
}

// prepares is how often prepare has run in a workspace.
func (f *fixture) prepares(ws stages.Workspace) int {
	f.t.Helper()
	b, err := os.ReadFile(filepath.Join(ws.Dir, "deps"))
	require.NoError(f.t, err)
	return strings.Count(string(b), "ran")
}

func TestPrepareRunsAgainOnlyWhenAKeyFileIsAnotherOnTheNewBase(t *testing.T) {
	t.Parallel()
	f := prepared(t)
	ws := f.fresh("TASK-01")
	for _, step := range []struct {
		path, content string
		runs          int
	}{
		{"a.txt", "no key file\n", 1},
		{"go.mod", "module two\n", 2},
		{"tools/x/gen.txt", "below a folder that is one\n", 3},
		{"dir/b.txt", "no key file\n", 3},
	} {
		require.NoError(t, f.repo.Close(ctx(), "TASK-01", false))
		f.write(step.path, step.content)
		f.commit(step.path)
		f.fresh("TASK-01")
		require.Equal(t, step.runs, f.prepares(ws), step.path)
	}
}

func TestPrepareRunsAgainForATreeThatBringsAnotherKeyFile(t *testing.T) {
	t.Parallel()
	f := prepared(t)
	base := f.tip()
	ws := f.fresh("TASK-01")
	f.write("go.mod", "module two\n")
	merged, err := f.repo.Tree(f.commit("of another TASK"))
	require.NoError(t, err)

	f.lease(stages.Lease{Task: "TASK-01", Base: base, Mode: stages.Exact, Tree: merged})

	require.Equal(t, 2, f.prepares(ws))
}

func TestPrepareRunsAgainWhereAnAttemptThatIsForgottenChangedAKeyFile(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*fixture, string){
		"changed":   func(f *fixture, dir string) { f.writeIn(dir, "go.mod", "module mine\n") },
		"untracked": func(f *fixture, dir string) { f.writeIn(dir, "tools/new.txt", "mine\n") },
		"committed": func(f *fixture, dir string) {
			f.writeIn(dir, "go.mod", "module mine\n")
			f.gitIn(dir, "commit", "-qam", "mine")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := prepared(t)
			ws := f.fresh("TASK-01")
			change(f, ws.Dir)

			f.fresh("TASK-01")

			require.Equal(t, 2, f.prepares(ws), "what it installed is still there")
		})
	}
}

func TestPrepareThatFailedHalfWayRunsAgain(t *testing.T) {
	t.Parallel()
	f := prepared(t)
	first := f.tip()
	ws := f.fresh("TASK-01")
	f.write("go.mod", "module two\n")
	second := f.commit("two")
	f.repo.cfg.Prepare = []string{"echo ran >> deps", "grep -q one go.mod"}
	f.lease(stages.Lease{Task: "TASK-01", Base: first})
	require.Equal(t, 2, f.prepares(ws))

	_, err := f.repo.Open(ctx(), stages.Lease{Task: "TASK-01", Base: second})
	require.ErrorContains(t, err, "exit status 1")
	require.Equal(t, 3, f.prepares(ws))
	f.lease(stages.Lease{Task: "TASK-01", Base: first})
	require.Equal(t, 4, f.prepares(ws), "half of the other tree's had run")
}
