package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/taskpipeline/pipeline/internal/config"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/agent"
	"github.com/taskpipeline/pipeline/stages/command"
	"github.com/taskpipeline/pipeline/stages/script"
	"github.com/taskpipeline/pipeline/tasks"
)

// workshop makes executors of what is configured.
type workshop struct {
	p      *Process
	config config.Config
	root   string        // where programs named by a relative path are
	budget *agent.Budget // of the session; nil where nothing is to run
	mask   *stages.Mask  // of the secrets of all executors
}

// mask knows the secrets of all executors: what one of them is given, another
// one may come across. One whose variables are not set has none; that it cannot
// be used, whoever names it is told.
func (p *Process) mask(c config.Config) *stages.Mask {
	var all []stages.Secret
	for _, e := range c.Executors {
		if _, secrets, err := e.Environ(p.lookupEnv); err == nil {
			all = append(all, secrets...)
		}
	}
	return stages.NewMask(all)
}

// executors makes every configured executor, limited in time, and adds those
// that were given in Go.
func (w workshop) executors() map[string]stages.Executor {
	c := w.config
	out := make(map[string]stages.Executor, len(c.Executors)+len(w.p.Executors))
	for name, e := range c.Executors {
		timeout := c.Timeout
		if e.Timeout > 0 {
			timeout = e.Timeout
		}
		line := []stages.Executor{w.executor(name, e)}
		for _, other := range e.Fallback {
			line = append(line, w.executor(other, c.Executors[other]))
		}
		whole := w.checked(stages.Fallback(c.MaxWait, line...))
		out[name] = w.mask.Executor(stages.Timeout(stages.IdleTimeout(whole, e.IdleTimeout), timeout))
	}
	for name, e := range w.p.Executors {
		out[name] = w.mask.Executor(stages.Timeout(w.checked(e), c.Timeout))
	}
	return out
}

// checked is an executor together with the project's own checks and the
// landing_check, where there are any.
func (w workshop) checked(e stages.Executor) stages.Executor {
	c := w.config
	if len(c.LandingCheck) > 0 {
		e = command.LandingCheck{Executor: e, Check: w.program("landing_check", c.LandingCheck)}
	}
	if len(c.Quality) == 0 {
		return e
	}
	q := command.Quality{Executor: e}
	for _, check := range c.Quality {
		q.Checks = append(q.Checks, command.Check{Executor: w.program(check.Name, check.Argv), Timeout: check.Timeout})
	}
	return q
}

// program is one of the project's own programs, which is given no variables of
// an executor.
func (w workshop) program(name string, argv []string) command.Executor {
	return command.Executor{Name: name, Argv: argv, Root: w.root, Environ: w.p.Environ}
}

// executor is what is configured, without its limits.
func (w workshop) executor(name string, e config.Executor) stages.Executor {
	env, _, err := e.Environ(w.p.lookupEnv)
	if err != nil {
		return unusable{err}
	}
	shell := script.Shell{Env: env, Environ: w.p.Environ}
	switch kind := e.Kind(); {
	case kind == "script":
		return script.Build{Shell: shell}
	case kind == "checks":
		return script.Checks{Shell: shell}
	case kind == "command" && e.Reply != config.JSON:
		return command.Executor{Name: name, Argv: e.Argv(), Root: w.root, Env: values(env), Environ: w.p.Environ, Keep: int(w.config.Limits.Output)}
	}
	return stages.Confined(stages.ReadOnly(w.agent(name, e, values(env)), len(w.config.LandingCheck)+len(w.config.Quality) > 0))
}

// agent is an executor that is an agent: a CLI, or a command that replies in JSON.
func (w workshop) agent(name string, e config.Executor, env map[string]string) agent.Executor {
	a := agent.Executor{
		Name: name, CLI: e.Agent, Command: e.Command, Root: w.root,
		Model: e.Model, Args: e.Args, Sandbox: e.Sandbox, Env: env, Environ: w.p.Environ,
		Form: agent.Form(e.Reply), Retries: e.Retries, Gates: e.Gates, Fresh: e.Fresh,
		Budget: w.budget, Limit: int(w.config.Limits.Output),
	}
	if e.Prompts != "" {
		dir := e.Prompts
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(w.config.File), dir)
		}
		a.Prompts = os.DirFS(dir)
	}
	for _, check := range w.config.Quality {
		a.Tests = append(a.Tests, check.Argv)
	}
	return a
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
