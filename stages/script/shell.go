package script

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/taskpipeline/pipeline/internal/proc"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// keepOutput is how much of a fence's output is kept, in bytes.
const keepOutput = 256 << 10

// Shell is how the fences of a TASK are run. The zero value works.
type Shell struct {
	Env     []string      // KEY=value, added to the environment
	Environ []string      // where the variables that every stage may see come from; nil means os.Environ()
	Grace   time.Duration // between SIGTERM and SIGKILL when a stage is cut off; 0 means 10 s
}

// outcome is what became of one fence.
type outcome struct {
	place   string // "tasks/TASK-03.md:43", of the failed command or of the fence
	command string // the failed command, or the fence's title
	end     proc.Ending
	output  []byte // its first and last part
}

// run runs one fence. An error means that it could not be started or was cut
// off; the outcome then holds what it had printed.
func (s Shell) run(ctx context.Context, req stages.Request, fence tasks.Script) (outcome, error) {
	environ := s.Environ
	if environ == nil {
		environ = os.Environ()
	}
	kept := &proc.Capture{Limit: keepOutput}
	both := io.MultiWriter(kept, req.Sink.Output())
	end, err := proc.Run(ctx, proc.Command{
		Argv:   argv(fence),
		Dir:    req.Workspace,
		Env:    slices.Concat(proc.Allowed(environ), s.Env, req.Environ()),
		Stdout: both,
		Stderr: both,
		Mark:   req.Mark(),
		Grace:  s.Grace,
	})
	o := outcome{place: place(req, fence.Line), command: title(fence), end: end, output: kept.Bytes()}
	if err != nil {
		return o, fmt.Errorf("%s: %w", o.place, err)
	}
	if !end.OK() {
		line, command := failedCommand(fence, o.output)
		o.place, o.command = place(req, line), command
	}
	return o, nil
}

// place names a line of the TASK file.
func place(req stages.Request, line int) string {
	return fmt.Sprintf("%s:%d", cmp.Or(req.Dispatch.Spec.File, req.Spec.File), line)
}

// readyAll reports the first of a TASK's fences that cannot be run.
func readyAll(task tasks.Task, fences []tasks.Script) error {
	for _, fence := range fences {
		if err := ready(fence); err != nil {
			return fmt.Errorf("%s:%d: %w", task.File, fence.Line, err)
		}
	}
	return nil
}
