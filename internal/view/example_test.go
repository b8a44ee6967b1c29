package view_test

import (
	"fmt"
	"os"
	"time"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/internal/view"
	"github.com/taskpipeline/pipeline/scheduler"
)

// events are a record in which a TASK's builder failed for the last time.
func events() []scheduler.Event {
	at := time.Date(2026, 3, 12, 10, 0, 0, 0, time.UTC)
	failed := &dispatch.Result{Status: dispatch.Fail, Failures: []dispatch.Failure{{Check: "make", Error: "make: *** [all] Error 1"}}}
	step := scheduler.Event{Task: "TASK-01", Stage: dispatch.Builder, Attempt: 1, Executor: "mine"}
	started, finished := step, step
	started.Type = scheduler.StageStarted
	finished.Type, finished.Status, finished.Reason, finished.Result, finished.Millis = scheduler.StageFinished, dispatch.Fail, "exit status 2", failed, 400
	all := []scheduler.Event{
		{Type: scheduler.RunStarted, Session: "01J", Work: "WORK-01", Branch: "main", Config: &scheduler.Options{Attempts: 1},
			Tasks: []scheduler.TaskSpec{{ID: "TASK-01", Title: "Build it", State: scheduler.AsNew}}},
		started,
		{Type: scheduler.TaskStarted, Task: "TASK-01"},
		finished,
		{Type: scheduler.TaskFailed, Task: "TASK-01", Reason: "exit status 2"},
		{Type: scheduler.RunHalted, Task: "TASK-01"},
		{Type: scheduler.RunFinished, Verdict: scheduler.SomeFailed},
	}
	for i := range all {
		all[i].Seq, all[i].Time = int64(i+1), at.Add(time.Duration(i)*time.Second)
	}
	return all
}

func ExampleLines() {
	record, err := view.Fold(nil, events()[:1])
	if err != nil {
		fmt.Println(err)
		return
	}
	lines := view.NewLines(os.Stdout, record, view.Style{}, view.ByEvent)
	for _, e := range events()[1:] {
		lines.Event(e)
	}
	// Output:
	// TASK-01 builder#1 started by mine
	// TASK-01 builder#1 FAIL 0.4s: exit status 2
	// TASK-01 FAILED after 1 attempt: exit status 2
	// halted: TASK-01 is FAILED, no new TASK starts
	// 0 done, 1 failed, 0 not started in 6.0s
}

func ExampleRecord_Inspect() {
	record, err := view.Fold(nil, events())
	if err != nil {
		fmt.Println(err)
		return
	}
	x := record.Inspect("TASK-01", view.Found{Workspace: ".git/pipeline/slot-1"}, time.Now())
	if err := x.Text(os.Stdout, view.Style{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ✗ TASK-01  Build it
	//   FAILED after 1 attempt, 0.4s of work: builder#1: exit status 2
	//
	// How it went
	//   builder#1  FAIL  0.4s  mine  exit status 2
	//
	// What builder#1 failed at
	//   make
	//   │ make: *** [all] Error 1
	//
	// To open
	//   .git/pipeline/slot-1  (its workspace)
	//
	// next: pipeline retry TASK-01                  # let it try again
	//       pipeline diff TASK-01                   # what its last attempt changed
	//       pipeline retry TASK-01 --from verifier  # after mending it by hand
	//       pipeline skip TASK-01 --reason TEXT     # go on without it
}

func ExampleTally() {
	fmt.Println(view.Tally(scheduler.Totals{Done: 3, Failed: 1, NotStarted: 2, Skipped: 1}))
	// Output: 3 done, 1 failed, 2 not started, 1 skipped
}
