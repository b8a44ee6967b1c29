package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/internal/proc"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/envelope"
	"github.com/taskpipeline/pipeline/tasks"
)

// The exit statuses that a check's end is told by, as a shell tells them.
const (
	timedOut = 124
	notFound = 127
)

// Quality is an executor that, as a verifier, begins with the project's own
// checks, all of them. If one is red that is the verdict, and the executor is
// not asked; the typed reply of the step is then what the checks said, which
// the next attempt is shown. If all are green the executor is told so in its
// request. As a builder it is Executor alone.
type Quality struct {
	stages.Executor
	Checks []Check
}

// Check is one of the project's own checks.
type Check struct {
	Executor               // Name is what messages call it
	Timeout  time.Duration // what takes longer has failed with 124; 0 for no limit
}

// Ready reports what the executor or a check lacks.
func (q Quality) Ready(task tasks.Task) error {
	errs := []error{stages.Ready(q.Executor, task)}
	for _, c := range q.Checks {
		errs = append(errs, c.Executor.Ready(task))
	}
	return cmp.Or(errs...)
}

// Continues is the executor's.
func (q Quality) Continues() bool { return stages.Continues(q.Executor) }

// Execute runs the checks, and the executor if they are green. A check whose
// program is not there, or that ends with 127 because one that it calls is not,
// says nothing of the work: it is an error, which no agent can mend.
func (q Quality) Execute(ctx context.Context, req stages.Request) (stages.Response, error) {
	if req.Step.Stage != dispatch.Verifier {
		return q.Executor.Execute(ctx, req)
	}
	results := make([]envelope.CommandResult, len(q.Checks))
	for i, c := range q.Checks {
		exit, said, err := c.run(ctx, req)
		if err != nil {
			return stages.Response{}, err
		}
		if exit == notFound {
			return stages.Response{}, fmt.Errorf("%s: exit status 127: a program is not there: %s", c.Executor, proc.Tail(said, 3, 500))
		}
		results[i] = envelope.CommandResult{Name: c.Name, Exit: exit, Output: proc.Tail(said, 60, 4000)}
	}
	out := envelope.FromCommands(results)
	req.Quality = envelope.Marshal(out)
	if out.Passed {
		return q.Executor.Execute(ctx, req)
	}
	resp := stages.Response{Result: envelope.Result(out)}
	resp.Envelope = req.Quality
	return resp, nil
}

func (c Check) run(ctx context.Context, req stages.Request) (exit int, said []byte, err error) {
	within := ctx
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, c.Timeout)
		defer cancel()
	}
	end, said, err := c.check(within, req)
	switch {
	case err == nil:
		return end.Code(), said, nil
	case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return timedOut, said, nil
	}
	return 0, said, err
}
