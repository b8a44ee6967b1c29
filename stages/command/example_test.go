package command_test

import (
	"context"
	"fmt"
	"os"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/command"
)

// The smallest stage: a shell script that prints a task-result.
func Example() {
	e := command.Executor{
		Name: "greeter",
		Argv: []string{"sh", "-c", `
			echo "working on $PIPELINE_TASK"
			echo '<task-result status="PASS">
			  <context-handoff><what>Said hello.</what></context-handoff>
			</task-result>'`},
	}
	resp, err := e.Execute(context.Background(), stages.Request{
		Step:      stages.Step{Task: "TASK-01", Stage: dispatch.Builder, Attempt: 1},
		Workspace: os.TempDir(),
		Sink:      stages.Discard,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Status, resp.Handoff.What)
	// Output: PASS Said hello.
}
