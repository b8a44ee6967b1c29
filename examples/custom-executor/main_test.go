package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages/stagetest"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

func TestBuilderMakesTheFilesItIsAskedFor(t *testing.T) {
	t.Parallel()
	req, _ := stagetest.Request(t, dispatch.Builder)
	req.Spec.Files = []tasks.FileClaim{{Path: "site/hello.md", Action: "CREATE"}}
	req.Dispatch.Handoffs = []dispatch.Sent{{Task: "TASK-00", Level: window.Full, Handoff: window.Handoff{What: "Drew a map."}}}

	resp, err := write(t.Context(), req)
	if err != nil || resp.Status != dispatch.Pass {
		t.Fatalf("write: %s %v", resp.Summary, err)
	}
	made, err := os.ReadFile(filepath.Join(req.Workspace, "site", "hello.md"))
	if want := "# Say hello\n\nBuilds on TASK-00: Drew a map.\n"; err != nil || string(made) != want {
		t.Errorf("made %q, %v; want %q", made, err, want)
	}
}

func TestBuilderStaysInTheWorkspace(t *testing.T) {
	t.Parallel()
	req, _ := stagetest.Request(t, dispatch.Builder)
	req.Spec.Files = []tasks.FileClaim{{Path: "../escaped.md", Action: "CREATE"}}
	resp, err := write(t.Context(), req)
	if err != nil || resp.Status != dispatch.Fail {
		t.Errorf("write: %s %v; want FAIL", resp.Status, err)
	}
}
