package pipeline_test

import (
	"context"
	"fmt"

	"github.com/taskpipeline/pipeline"
	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/window"
)

// A program that adds an executor of its own to the command line. In a main
// function the arguments are os.Args[1:] and the code goes to os.Exit.
func ExampleMain() {
	build := func(_ context.Context, req stages.Request) (stages.Response, error) {
		return stages.Response{
			Result: dispatch.Result{
				Status:  dispatch.Pass,
				Handoff: &window.Handoff{What: "Built " + req.Spec.Title + "."},
			},
			DeclareAll: true,
		}, nil
	}
	code := pipeline.Main([]string{"help", "man"}, pipeline.Executors{"mine": stages.Func(build)})
	fmt.Println("exit code", code)
	// Output:
	// Print a manual page, or write all of them to a folder
	//
	// Usage:
	//   pipeline man [VERB] [flags]
	//
	// Examples:
	//   pipeline man | man -l -
	//   pipeline man graph | man -l -
	//   pipeline man --dir ~/.local/share/man/man1
	//
	// Flags:
	//       --dir DIR   write one file per command to DIR, which must exist
	//   -h, --help      help for man
	//
	// Global Flags:
	//   -C, --directory DIR   work as if started in DIR
	// exit code 0
}
