//go:build unix

package stagetest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
)

func requirePass(t *testing.T, resp stages.Response) {
	t.Helper()
	require.Equal(t, dispatch.Pass, resp.Status, "summary: %s, failures: %v", resp.Summary, resp.Failures)
	require.NotNil(t, resp.Handoff, "a PASS has a handoff")
	require.NotEmpty(t, strings.TrimSpace(resp.Handoff.What), "a handoff says what was done")
}

func requireMade(t *testing.T, req stages.Request, text string) {
	t.Helper()
	made, err := os.ReadFile(filepath.Join(req.Workspace, MadeFile))
	require.NoError(t, err)
	require.Equal(t, text, strings.TrimSpace(string(made)))
}

// outside is every file around the workspace that a stage has no business with.
func outside(t *testing.T, req stages.Request) []string {
	t.Helper()
	root := filepath.Dir(req.Workspace)
	var all []string
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == req.Workspace || path == req.HandoffDir {
			return fs.SkipDir
		}
		all = append(all, path)
		return nil
	}))
	return all
}
