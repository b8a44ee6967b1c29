package stages_test

import (
	"context"
	"fmt"
	"time"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// A Go function as the builder of a TASK. It says what it did, and leaves the
// list of changed files to the diff.
func ExampleFunc() {
	var builder stages.Executor = stages.Func(func(_ context.Context, req stages.Request) (stages.Response, error) {
		return stages.Response{
			Result:     dispatch.Result{Status: dispatch.Pass, Handoff: &window.Handoff{What: "Built " + req.Spec.Title}},
			DeclareAll: true,
		}, nil
	})
	resp, err := builder.Execute(context.Background(), stages.Request{Spec: tasks.Task{Title: "the gate"}, Sink: stages.Discard})
	fmt.Println(resp.Status, resp.Handoff.What, err)
	// Output: PASS Built the gate <nil>
}

// A limit is a decorator: whatever the executor is, a stage that takes longer
// is a FAIL.
func ExampleTimeout() {
	slow := stages.Func(func(ctx context.Context, _ stages.Request) (stages.Response, error) {
		<-ctx.Done()
		return stages.Response{}, ctx.Err()
	})
	resp, err := stages.Timeout(slow, time.Millisecond).Execute(context.Background(), stages.Request{Sink: stages.Discard})
	fmt.Println(resp.Status, resp.Summary, err)
	// Output: FAIL timed out after 1ms <nil>
}
