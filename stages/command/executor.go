// Package command makes any program an executor: the command protocol.
//
// One process performs one stage. Its working directory is the workspace. On
// its standard input stands the dispatch, on its standard output it prints
// its reply, of which the last `<task-result>` element counts (see package
// dispatch for both), its standard error is a log. All of its output is
// recorded live; the reply is read from the first and the last part of it, 64
// MiB in all.
//
// Its environment holds the few variables that every stage may see (PATH,
// HOME, USER, LANG, LC_*, TZ, TMPDIR, TERM, SSH_AUTH_SOCK), those of the
// executor's configuration, and the PIPELINE_* variables of
// stages.Request.Environ. Later ones win.
//
// The process leads a group of its own. A stage that is cut off gets SIGTERM,
// and SIGKILL 10 seconds later; what it leaves running when it ends is killed.
//
// What its end means:
//
//   - it could not be started: an error, no attempt is used up
//   - it was cut off: an error that wraps ctx.Err(); for limits on its time
//     see stages.Timeout and stages.IdleTimeout
//   - it ended with another status than 0, or by a signal: FAIL, also with PASS
//   - it printed no valid task-result: FAIL with the reason; it is not asked again
//   - else its verdict is the one it printed
package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/taskpipeline/pipeline/internal/proc"
	"github.com/taskpipeline/pipeline/stages"
)

const (
	defaultKeep = 64 << 20
	keepLog     = 64 << 10
)

// Executor runs Argv for every stage it is given. Only Argv is required.
type Executor struct {
	Name string            // what the configuration calls it; for messages
	Argv []string          // the program and its arguments; never read by a shell
	Root string            // where a program given as a relative path is: see LookPath
	Env  map[string]string // added to the environment

	Environ []string      // where the variables that every stage may see come from; nil means os.Environ()
	Grace   time.Duration // between SIGTERM and SIGKILL; 0 means 10 s
	Keep    int           // bytes of the reply that are kept for reading it; 0 means 64 MiB
}

// Execute runs the program once. See the package for what its end means.
func (e Executor) Execute(ctx context.Context, req stages.Request) (stages.Response, error) {
	program, err := e.LookPath()
	if err != nil {
		return stages.Response{}, err
	}
	var message bytes.Buffer
	if err := req.Dispatch.Encode(&message); err != nil {
		return stages.Response{}, fmt.Errorf("%s: write the dispatch: %w", e, err)
	}
	keep := e.Keep
	if keep <= 0 {
		keep = defaultKeep
	}
	reply, log := &proc.Capture{Limit: keep}, &proc.Capture{Limit: keepLog}
	live := &live{w: req.Sink.Output()}
	end, err := proc.Run(ctx, proc.Command{
		Argv:   slices.Concat([]string{program}, e.Argv[1:]),
		Dir:    req.Workspace,
		Env:    e.environ(req),
		Stdin:  &message,
		Stdout: live.and(reply),
		Stderr: live.and(log),
		Mark:   req.Mark(),
		Grace:  e.Grace,
	})
	said := transcript{reply: reply, log: log}
	if start := (*proc.StartError)(nil); errors.As(err, &start) {
		return stages.Response{}, fmt.Errorf("%s: %w: correct its `command` in pipeline.yaml", e, err)
	}
	if err != nil {
		return cutOff(req, said), fmt.Errorf("%s: %w", e, err)
	}
	return judge(req, end, said), nil
}

// String prints `executor "mine"`, as messages name it.
func (e Executor) String() string {
	name := e.Name
	if name == "" {
		name = strings.Join(e.Argv, " ")
	}
	return fmt.Sprintf("executor %q", name)
}

func (e Executor) environ(req stages.Request) []string {
	environ := e.Environ
	if environ == nil {
		environ = os.Environ()
	}
	environ = proc.Allowed(environ)
	for _, key := range slices.Sorted(maps.Keys(e.Env)) {
		environ = append(environ, key+"="+e.Env[key])
	}
	return append(environ, req.Environ()...)
}
