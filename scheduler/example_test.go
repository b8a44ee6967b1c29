package scheduler_test

import (
	"context"
	"fmt"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// A run of two TASKs in memory: without workspaces, objects and a lander the
// stages have no tree, and nothing is committed.
func ExampleRunner() {
	g, _ := tasks.NewGraph([]tasks.Task{
		{ID: "TASK-01", Title: "Draw the plan"},
		{ID: "TASK-02", Title: "Build the house", Deps: []tasks.ID{"TASK-01"}},
	})
	do := stages.Func(func(_ context.Context, req stages.Request) (stages.Response, error) {
		return stages.Response{Result: dispatch.Result{
			Status:  dispatch.Pass,
			Handoff: &window.Handoff{What: req.Spec.Title},
		}}, nil
	})
	r := scheduler.Runner{
		Executors: map[string]stages.Executor{"do": do},
		Stages:    scheduler.StageNames{Builder: "do", Verifier: "do"},
		Observe: func(e scheduler.Event) {
			if e.Type == scheduler.StageFinished {
				fmt.Println(scheduler.Step{Task: e.Task, Stage: e.Stage, Attempt: e.Attempt}, e.Status)
			}
		},
	}
	verdict, err := r.Run(context.Background(), g)
	fmt.Println(verdict, err)
	// Output:
	// TASK-01/builder#1 PASS
	// TASK-01/verifier#1 PASS
	// TASK-01/committer#1 PASS
	// TASK-02/builder#1 PASS
	// TASK-02/verifier#1 PASS
	// TASK-02/committer#1 PASS
	// done <nil>
}

// A Plan answers what may be done now, and changes only by events.
func ExamplePlan() {
	g, _ := tasks.NewGraph([]tasks.Task{{ID: "TASK-01"}, {ID: "TASK-02", Deps: []tasks.ID{"TASK-01"}}, {ID: "TASK-03"}})
	p := scheduler.New(g)
	_ = p.Apply(scheduler.Event{Seq: 1, Type: scheduler.RunStarted, Tasks: scheduler.Initially(g, scheduler.Facts{}, scheduler.Selection{})})
	for _, a := range p.Next(4) {
		fmt.Println(a.Step)
	}
	// Output:
	// TASK-01/builder#1
	// TASK-03/builder#1
}
