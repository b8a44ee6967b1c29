package pipeline_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline"
	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/window"
)

// repository makes a repository with files and a first commit.
func repository(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "n"}, {"config", "user.email", "n@localhost"},
		{"add", "."}, {"commit", "-q", "-m", "start"},
	} {
		out, err := git(dir, args...)
		require.NoError(t, err, out)
	}
	return dir
}

func git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestRunBuildsWithGoExecutorsFromAnyProgram(t *testing.T) {
	t.Parallel()
	dir := repository(t, map[string]string{
		"tasks/TASK-01.md": "# TASK-01: Say hello\n",
		"tasks/TASK-02.md": "# TASK-02: Say bye\n\n## Dependencies\n- TASK-01\n",
	})
	write := func(_ context.Context, req stages.Request) (stages.Response, error) {
		err := os.WriteFile(filepath.Join(req.Workspace, string(req.Step.Task)+".txt"), []byte("done\n"), 0o644)
		return stages.Response{Result: dispatch.Result{Status: dispatch.Pass, Handoff: &window.Handoff{What: "wrote it"}}, DeclareAll: true}, err
	}
	look := func(_ context.Context, req stages.Request) (stages.Response, error) {
		_, err := os.Stat(filepath.Join(req.Workspace, string(req.Step.Task)+".txt"))
		return stages.Response{Result: dispatch.Result{Status: dispatch.Pass, Handoff: &window.Handoff{What: "it is there"}}}, err
	}
	seen := 0
	o := pipeline.Options{
		Dir: dir, Builder: "write", Verifier: "look", Observe: func(scheduler.Event) { seen++ },
		Executors: pipeline.Executors{"write": stages.Func(write), "look": stages.Func(look)},
	}
	summary, err := pipeline.Run(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, scheduler.AllDone, summary.Verdict)
	require.Equal(t, 2, summary.Totals.Done)
	require.Positive(t, seen)
	log, err := git(dir, "log", "--format=%s")
	require.NoError(t, err)
	require.Equal(t, "feat(TASK-02): Say bye\nfeat(TASK-01): Say hello\nstart\n", log)

	again, err := pipeline.Run(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, pipeline.Summary{Verdict: scheduler.AllDone, Totals: scheduler.Totals{UpToDate: 2}}, again)
}
