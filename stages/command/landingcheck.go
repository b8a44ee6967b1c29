package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/internal/proc"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// LandingCheck is an executor that, as a verifier, begins with Check, a command
// of the project: what does not pass it is not verified any further. Nobody has
// touched the tree before it. As a builder it is Executor alone.
type LandingCheck struct {
	stages.Executor
	Check Executor // Name is what messages call it
}

// Ready reports what either of the two lacks.
func (l LandingCheck) Ready(task tasks.Task) error {
	return cmp.Or(stages.Ready(l.Executor, task), l.Check.Ready(task))
}

// Execute runs the command and, if it passes, the executor. What the command
// prints is part of the stage's output. Its end by another status than 0 is a
// FAIL that holds the last of it. A send that comes again after a wait has had
// its check.
func (l LandingCheck) Execute(ctx context.Context, req stages.Request) (stages.Response, error) {
	if req.Step.Stage != dispatch.Verifier || req.Resume != nil {
		return l.Executor.Execute(ctx, req)
	}
	end, said, err := l.Check.check(ctx, req)
	if err == nil && end.OK() {
		return l.Executor.Execute(ctx, req)
	}
	if err != nil && ctx.Err() == nil {
		return stages.Response{}, err
	}
	reason := "cut off"
	if err == nil {
		reason = end.String()
	}
	argv := strings.Join(l.Check.Argv, " ")
	return stages.Failed(fmt.Sprintf("%s `%s`: %s", l.Check.Name, argv, reason),
		dispatch.Failure{Check: argv, Error: proc.WithLast(reason, said)}), err
}

// Continues is the executor's.
func (l LandingCheck) Continues() bool { return stages.Continues(l.Executor) }

// check runs the program as a check of the workspace: its exit status is what
// matters, what it prints is part of the stage's output, and said is the end
// of that. An error means that it was cut off or could not be started.
func (e Executor) check(ctx context.Context, req stages.Request) (end proc.Ending, said []byte, err error) {
	program, err := e.LookPath()
	if err != nil {
		return end, nil, err
	}
	kept := &proc.Capture{Limit: keepLog}
	both := io.MultiWriter(kept, req.Sink.Output())
	end, err = proc.Run(ctx, proc.Command{
		Argv:   slices.Concat([]string{program}, e.Argv[1:]),
		Dir:    req.Workspace,
		Env:    e.environ(req),
		Stdout: both,
		Stderr: both,
		Mark:   req.Mark(),
		Grace:  e.Grace,
	})
	if err != nil {
		err = fmt.Errorf("%s: %w", e, err)
	}
	return end, kept.Bytes(), err
}
