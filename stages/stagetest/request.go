package stagetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// Request is a valid request for a stage of TASK-01, on a workspace of its
// own: an empty directory beside the one for handoff files. Its Sink is the
// Recorder that is returned with it.
func Request(t testing.TB, stage dispatch.Stage) (stages.Request, *Recorder) {
	t.Helper()
	root := t.TempDir()
	workspace, handoff := filepath.Join(root, "workspace"), filepath.Join(root, "context_handoff")
	for _, dir := range []string{filepath.Join(workspace, "tasks"), handoff} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const spec = "# TASK-01: Say hello\n\n## Scope\n\nA greeting.\n"
	action := "implement"
	if stage == dispatch.Verifier {
		action = "verify"
	}
	recorder := &Recorder{}
	return stages.Request{
		Step: stages.Step{Task: "TASK-01", Stage: stage, Attempt: 1},
		Dispatch: dispatch.Dispatch{
			To: stage, Work: "WORK-01", Task: "TASK-01", Attempt: 1,
			Spec: dispatch.Spec{File: "tasks/TASK-01.md", Title: "Say hello", Action: action, Description: spec},
		},
		Spec:       tasks.Task{ID: "TASK-01", Title: "Say hello", File: "TASK-01.md", Spec: spec},
		Session:    "SESSION-01",
		Workspace:  workspace,
		Progress:   filepath.Join(workspace, "tasks", "TASK-01_progress.md"),
		HandoffDir: handoff,
		Base:       "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
		Now:        time.Date(2026, 3, 12, 10, 35, 0, 0, time.UTC),
		Sink:       recorder,
	}, recorder
}

// Lookup is the value of a variable that the request adds to the environment.
func Lookup(req stages.Request, key string) string {
	for _, entry := range req.Env {
		if value, ok := strings.CutPrefix(entry, key+"="); ok {
			return value
		}
	}
	return ""
}
