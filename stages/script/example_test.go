package script_test

import (
	"context"
	"fmt"
	"os"

	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/script"
	"github.com/taskpipeline/pipeline/tasks"
)

// The `## Verify` of a TASK as its verifier.
func ExampleChecks() {
	resp, err := script.Checks{}.Execute(context.Background(), stages.Request{
		Spec: tasks.Task{
			ID:   "TASK-01",
			File: "TASK-01.md",
			Verify: []tasks.Script{
				{Line: 12, Lang: "sh", Text: "test 2 -gt 1\n"},
				{Line: 16, Lang: "sh", Text: "test 1 -gt 2\n"},
			},
		},
		Workspace: os.TempDir(),
		Sink:      stages.Discard,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Status, resp.Summary)
	fmt.Println(resp.Failures[0].Error)
	// Output:
	// FAIL 1 of 2 checks failed: `test 1 -gt 2`
	// exit status 1 at TASK-01.md:16. It printed nothing.
}
