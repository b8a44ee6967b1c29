package gitrepo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
)

func TestSharedPathsAreLinkedAndNeverCommitted(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.write(".gitignore", "node_modules/\n")
	f.commit("ignore")
	f.write("node_modules/x.js", "x\n")
	f.open(func(c *Config) { c.Link = []string{"node_modules", "absent"} })
	ws := f.fresh("TASK-01")

	b, err := os.ReadFile(filepath.Join(ws.Dir, "node_modules/x.js"))
	require.NoError(t, err)
	require.Equal(t, "x\n", string(b))
	require.Empty(t, f.snapshot("TASK-01").Changes, "a pattern for directories does not ignore the link")
	f.fresh("TASK-01")
	require.FileExists(t, filepath.Join(ws.Dir, "node_modules/x.js"), "linked again after cleaning")
	require.NoError(t, f.repo.Close(ctx(), "TASK-01", false))
	require.NoError(t, f.repo.Release(ctx()))
	require.Equal(t, "x\n", f.read("node_modules/x.js"), "removing the worktree leaves what was shared")
}

func TestLinkOutsideIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *Config) { c.Link = []string{"../secret"} })
	_, err := f.repo.Open(ctx(), stages.Lease{Task: "TASK-01", Base: f.tip()})
	require.ErrorContains(t, err, "does not stay inside")
}
