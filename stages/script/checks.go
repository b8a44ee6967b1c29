package script

import (
	"context"
	"fmt"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// Checks is a verifier that runs the fences of the TASK's `## Verify`. Each
// fence is one check. All of them run, also after one has failed; the verdict
// is PASS if none did.
type Checks struct{ Shell }

// Ready reports a TASK without `## Verify`, and fences that cannot be run.
func (Checks) Ready(task tasks.Task) error {
	if len(task.Verify) == 0 {
		return fmt.Errorf("%s has no `## Verify` to run: add one to %s, or give it another verifier", task.ID, task.File)
	}
	return readyAll(task, task.Verify)
}

// Execute runs the fences. An error means that they could not be run.
func (c Checks) Execute(ctx context.Context, req stages.Request) (stages.Response, error) {
	if err := c.Ready(req.Spec); err != nil {
		return stages.Response{}, err
	}
	result := answer(req, dispatch.Pass)
	var ran []string
	for _, fence := range req.Spec.Verify {
		o, err := c.run(ctx, req, fence)
		if err != nil {
			return cutOff(req, o), err
		}
		result.Verification = append(result.Verification, o.check())
		if !o.end.OK() {
			result.Failures = append(result.Failures, o.failure(o.end.String()))
		}
		ran = append(ran, commands(fence)...)
	}
	conclude(&result, ran)
	return stages.Response{Result: result}, nil
}

// conclude gives the result its verdict, and says why.
func conclude(result *dispatch.Result, ran []string) {
	count, bad := len(result.Verification), len(result.Failures)
	if bad == 0 {
		result.Summary = fmt.Sprintf("%s passed", checks(count))
		result.Handoff = &window.Handoff{
			What:       list(fmt.Sprintf("Ran the TASK's %s; all passed.", checks(count)), ran),
			Why:        "Every command ended with exit status 0.",
			Incomplete: "None",
		}
		return
	}
	var names []string
	for _, f := range result.Failures {
		names = append(names, f.Check)
	}
	result.Status = dispatch.Fail
	result.Summary = fmt.Sprintf("%d of %s failed: `%s`", bad, checks(count), names[0])
	result.Handoff = &window.Handoff{
		What:       list(fmt.Sprintf("Ran the TASK's %s; %d failed:", checks(count), bad), names),
		Why:        "A check counts as failed when a command of it ends with another exit status than 0.",
		Caution:    "The failure details hold the end of each failed check's output.",
		Incomplete: "None",
	}
}

func checks(n int) string {
	if n == 1 {
		return "1 check"
	}
	return fmt.Sprintf("%d checks", n)
}
