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

// LandingCheck is an executor whose PASS as a verifier counts only if Check, a
// command of the project, passes on the same tree. So whatever lands has
// passed it. As a builder it is Executor alone.
type LandingCheck struct {
	stages.Executor
	Check Executor // Name is what messages call it
}

// Ready reports what either of the two lacks.
func (l LandingCheck) Ready(task tasks.Task) error {
	return cmp.Or(stages.Ready(l.Executor, task), l.Check.Ready(task))
}

// Execute runs the executor and, after a verifier's PASS, the command. What it
// prints is part of the stage's output. Its end by another status than 0 is a
// FAIL that holds the last of it.
func (l LandingCheck) Execute(ctx context.Context, req stages.Request) (stages.Response, error) {
	resp, err := l.Executor.Execute(ctx, req)
	if err != nil || resp.Wait != nil || req.Step.Stage != dispatch.Verifier || resp.Status != dispatch.Pass {
		return resp, err
	}
	program, err := l.Check.LookPath()
	if err != nil {
		return resp, err
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
		return resp, fmt.Errorf("%s: %w", l.Check, err)
	}
	if err == nil && end.OK() {
		return resp, nil
	}
	reason := "cut off"
	if err == nil {
		reason = end.String()
	}
	argv := strings.Join(l.Check.Argv, " ")
	resp.Status, resp.Printed = dispatch.Fail, nil
	resp.Summary = fmt.Sprintf("%s `%s`: %s", l.Check.Name, argv, reason)
	resp.Failures = append(resp.Failures, dispatch.Failure{Check: argv, Error: proc.WithLast(reason, said.Bytes())})
	return resp, err
}
