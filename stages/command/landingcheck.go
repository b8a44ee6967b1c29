package command

import (
	"cmp"
	"context"
	"errors"
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
	program, err := l.Check.LookPath()
	if err != nil {
		return stages.Response{}, err
	}
	said := &proc.Capture{Limit: keepLog}
	both := io.MultiWriter(said, req.Sink.Output())
	end, err := proc.Run(ctx, proc.Command{
		Argv:   slices.Concat([]string{program}, l.Check.Argv[1:]),
		Dir:    req.Workspace,
		Env:    l.Check.environ(req),
		Stdout: both,
		Stderr: both,
		Mark:   req.Mark(),
		Grace:  l.Check.Grace,
	})
	if start := (*proc.StartError)(nil); errors.As(err, &start) {
		return stages.Response{}, fmt.Errorf("%s: %w", l.Check, err)
	}
	if err == nil && end.OK() {
		return l.Executor.Execute(ctx, req)
	}
	reason := "cut off"
	if err == nil {
		reason = end.String()
	}
	argv := strings.Join(l.Check.Argv, " ")
	return stages.Failed(fmt.Sprintf("%s `%s`: %s", l.Check.Name, argv, reason),
		dispatch.Failure{Check: argv, Error: proc.WithLast(reason, said.Bytes())}), err
}
