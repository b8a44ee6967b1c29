// Command custom-executor is a pipeline with a builder of its own: the Go
// function write.
package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/taskpipeline/pipeline"
	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/window"
)

func main() {
	os.Exit(pipeline.Main(os.Args[1:], pipeline.Executors{"writer": stages.Func(write)}))
}

// write is a builder that makes every file which the TASK's `## Files` table
// says to CREATE. What the TASK says is not trusted: os.Root keeps its paths
// inside the workspace.
func write(_ context.Context, req stages.Request) (stages.Response, error) {
	workspace, err := os.OpenRoot(req.Workspace)
	if err != nil {
		return stages.Response{}, err // the attempt could not be made: the run stops
	}
	defer workspace.Close()

	var made []string
	for _, file := range req.Spec.Files {
		if file.Action != "CREATE" {
			return stages.Failed(fmt.Sprintf("%s %s: this builder only knows how to CREATE", file.Action, file.Path)), nil
		}
		if err := workspace.MkdirAll(path.Dir(file.Path), 0o755); err != nil {
			return stages.Failed(err.Error()), nil
		}
		if err := workspace.WriteFile(file.Path, page(req), 0o644); err != nil {
			return stages.Failed(err.Error()), nil
		}
		fmt.Fprintln(req.Sink.Output(), "wrote", file.Path)
		made = append(made, file.Path)
	}
	return stages.Response{
		Result: dispatch.Result{
			Status: dispatch.Pass,
			Handoff: &window.Handoff{
				What: "Wrote " + strings.Join(made, ", ") + ".",
				Why:  "The TASK's Files table names them.",
			},
		},
		DeclareAll: true, // progress.md is written for us, listing what has changed
	}, nil
}

// page is a title and, below it, what the TASKs before have handed off.
func page(req stages.Request) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", req.Spec.Title)
	for _, sent := range req.Dispatch.Handoffs {
		fmt.Fprintf(&b, "\nBuilds on %s: %s\n", sent.Task, sent.Handoff.What)
	}
	return []byte(b.String())
}
