package script

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// Build is a builder that runs the fences of the TASK's `## Build`, in order,
// up to the first that fails. It has progress.md written for it, listing
// whatever the fences have changed, unless they write one themselves; one
// that was left by an earlier attempt is removed first.
type Build struct{ Shell }

// Ready reports a TASK without `## Build`, and fences that cannot be run.
func (Build) Ready(task tasks.Task) error {
	if len(task.Build) == 0 {
		return fmt.Errorf("%s has no `## Build` to run: add one to %s, or give it another builder", task.ID, task.File)
	}
	return readyAll(task, task.Build)
}

// Execute runs the fences. An error means that they could not be run.
func (b Build) Execute(ctx context.Context, req stages.Request) (stages.Response, error) {
	if err := b.Ready(req.Spec); err != nil {
		return stages.Response{}, err
	}
	if err := ctx.Err(); err != nil {
		return stages.Response{}, err
	}
	if err := os.Remove(req.Progress); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return stages.Response{}, fmt.Errorf("remove an earlier attempt's progress.md: %w", err)
	}
	result := answer(req, dispatch.Pass)
	var ran []string
	for _, fence := range req.Spec.Build {
		o, err := b.run(ctx, req, fence)
		if err != nil {
			return cutOff(req, o), err
		}
		result.SelfCheck = append(result.SelfCheck, o.check())
		if !o.end.OK() {
			result.Status = dispatch.Fail
			result.Summary = fmt.Sprintf("`%s`: %s", o.command, o.end)
			result.Failures = []dispatch.Failure{o.failure(o.end.String())}
			return stages.Response{Result: result}, nil
		}
		ran = append(ran, commands(fence)...)
	}
	result.Summary = fmt.Sprintf("ran the `## Build` of %s", req.Spec.ID)
	result.Handoff = &window.Handoff{
		What:       list(fmt.Sprintf("%s: ran the commands of `## Build`", req.Spec.Title), ran),
		Why:        fmt.Sprintf("%s prescribes these commands.", req.Spec.ID),
		Incomplete: "None",
	}
	return stages.Response{Result: result, DeclareAll: true}, nil
}
