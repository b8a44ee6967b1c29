package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/taskpipeline/pipeline/internal/config"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/command"
	"github.com/taskpipeline/pipeline/stages/script"
	"github.com/taskpipeline/pipeline/tasks"
)

// executors makes every configured executor, limited in time, and adds those
// that were given in Go. root is where programs named by a relative path are.
func (p *Process) executors(c config.Config, root string) map[string]stages.Executor {
	out := make(map[string]stages.Executor, len(c.Executors)+len(p.Executors))
	for name, e := range c.Executors {
		timeout := c.Timeout
		if e.Timeout > 0 {
			timeout = e.Timeout
		}
		out[name] = stages.Timeout(stages.IdleTimeout(p.checked(p.executor(name, e, c, root), c, root), e.IdleTimeout), timeout)
	}
	for name, e := range p.Executors {
		out[name] = stages.Timeout(p.checked(e, c, root), c.Timeout)
	}
	return out
}

// checked is an executor together with the landing_check, if there is one.
func (p *Process) checked(e stages.Executor, c config.Config, root string) stages.Executor {
	if len(c.LandingCheck) == 0 {
		return e
	}
	return command.LandingCheck{Executor: e, Check: command.Executor{Name: "landing_check", Argv: c.LandingCheck, Root: root, Environ: p.Environ}}
}

func (p *Process) executor(name string, e config.Executor, c config.Config, root string) stages.Executor {
	env, _, err := e.Environ(p.lookupEnv)
	if err != nil {
		return unusable{err}
	}
	shell := script.Shell{Env: env, Environ: p.Environ}
	switch e.Kind() {
	case "script":
		return script.Build{Shell: shell}
	case "checks":
		return script.Checks{Shell: shell}
	case "command":
		return command.Executor{Name: name, Argv: e.Argv(), Root: root, Env: values(env), Environ: p.Environ, Keep: int(c.Limits.Output)}
	}
	return unusable{fmt.Errorf("executor %q is of a kind that this version does not have", name)}
}

func values(environ []string) map[string]string {
	out := make(map[string]string, len(environ))
	for _, pair := range environ {
		key, value, _ := strings.Cut(pair, "=")
		out[key] = value
	}
	return out
}

// unusable stands for an executor that cannot be used as configured. That is an
// error for the TASKs that name it, and for no other.
type unusable struct{ why error }

func (u unusable) Ready(tasks.Task) error { return u.why }

func (u unusable) Execute(context.Context, stages.Request) (stages.Response, error) {
	return stages.Response{}, u.why
}
