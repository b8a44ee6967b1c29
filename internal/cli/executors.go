package cli

import (
	"context"
	"fmt"

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
		out[name] = stages.Timeout(stages.IdleTimeout(p.executor(name, e, c, root), e.IdleTimeout), timeout)
	}
	for name, e := range p.Executors {
		out[name] = stages.Timeout(e, c.Timeout)
	}
	return out
}

func (p *Process) executor(name string, e config.Executor, c config.Config, root string) stages.Executor {
	shell := script.Shell{Env: pairs(e.Env), Environ: p.Environ}
	switch e.Kind() {
	case "script":
		return script.Build{Shell: shell}
	case "checks":
		return script.Checks{Shell: shell}
	case "command":
		return command.Executor{Name: name, Argv: e.Argv(), Root: root, Env: e.Env, Environ: p.Environ, Keep: int(c.Limits.Output)}
	}
	return unbuilt{name, e.Agent}
}

// unbuilt stands for an executor whose kind this version cannot perform. It is
// only an error for TASKs that name it.
type unbuilt struct{ name, agent string }

func (u unbuilt) Ready(tasks.Task) error {
	return fmt.Errorf("agent %q is not supported by this version: use a command or the TASK's own fences", u.agent)
}

func (u unbuilt) Execute(_ context.Context, req stages.Request) (stages.Response, error) {
	return stages.Response{}, u.Ready(req.Spec)
}

func pairs(env map[string]string) []string {
	out := make([]string, 0, len(env))
	for k, v := range env {
		out = append(out, fmt.Sprintf("%s=%s", k, v))
	}
	return out
}
