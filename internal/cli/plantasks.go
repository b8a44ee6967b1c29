package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/internal/config"
	"github.com/taskpipeline/pipeline/internal/view"
	"github.com/taskpipeline/pipeline/stages/agent"
)

type planTasksOptions struct {
	Goal    string
	Agent   string
	Dir     string
	Session string
	Commit  bool
	Run     bool
}

func planTasksCommand(p *Process) *cobra.Command {
	var o planTasksOptions
	c := &cobra.Command{
		Use:   "plan-tasks GOAL",
		Short: "Let an agent cut a goal into TASK files",
		Long: `Let an agent look at the project and write the TASK files for what is wanted. It
works in a workspace of its own: only new TASK files come from there into the
tasks folder, and only if the folder is sound with them. They are shown as a
graph; read them, and change them as you like. Nothing is built without --run.

The agent is an executor of the config that is an agent, or the name of a CLI.
By default it is the config's builder, if that is one, else the only one.`,
		Example: `  pipeline plan-tasks "let people log in with a password" --agent claude
  pipeline plan-tasks "add a dark theme" --commit
  pipeline plan-tasks "add a dark theme" --commit --run`,
		GroupID: groupSetUp,
		Args:    exactly(1, "what you want, in quotes,"),
		RunE: func(c *cobra.Command, args []string) error {
			if o.Goal = strings.TrimSpace(args[0]); o.Goal == "" {
				return faultf(errUsage, "the goal is empty").then(`pipeline plan-tasks "what you want"`)
			}
			return runPlanTasks(c.Context(), p, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Agent, "agent", "", "`executor` that plans, or a CLI: "+strings.Join(agent.CLIs(), ", "))
	f.StringVar(&o.Dir, "dir", "", "the folder of TASK files; default: the config's")
	f.StringVar(&o.Session, "session", "", "`id` of the session to make or to join")
	f.BoolVar(&o.Commit, "commit", false, "commit the TASK files, and nothing else")
	f.BoolVar(&o.Run, "run", false, "build them, in the same session")
	return c
}

func runPlanTasks(ctx context.Context, p *Process, o planTasksOptions) error {
	pl, err := p.planner(ctx, o)
	if err != nil {
		return err
	}
	files, message, err := pl.plan(ctx)
	pl.close()
	if err != nil {
		return err
	}
	paths, err := pl.put(files)
	if err != nil {
		return err
	}
	if o.Commit {
		if err := pl.commit(ctx, message, paths); err != nil {
			return err
		}
	}
	f, err := p.sound(pl.dir)
	if err != nil {
		return err
	}
	if err := view.GraphText(p.Stdout, f.Graph, p.width(p.Stdout)); err != nil {
		return err
	}
	next := "pipeline run"
	if o.Dir != "" {
		next += " " + p.typed(pl.dir)
	}
	next += " --session " + pl.session.ID
	fmt.Fprintf(p.Stdout, "\n%s written to %s\n", plural(len(paths), "TASK file"), p.typed(pl.dir))
	if !o.Run {
		_, err := fmt.Fprintf(p.Stdout, "next: read them, then `%s`\n", next)
		return err
	}
	return runRun(ctx, p, runOptions{chosen: chosen{Dir: pl.dir}, Session: pl.session.ID, Output: "auto"})
}

// plannerOf is the executor that plans: the one that was named, or a CLI of
// that name, else the only one that can be meant.
func (p *Process) plannerOf(c config.Config, named string) (string, config.Executor, error) {
	var agents []string
	for name, e := range c.Executors {
		if e.Agent != "" || e.Kind() == "command" && e.Reply == config.JSON {
			agents = append(agents, name)
		}
	}
	slices.Sort(agents)
	if named == "" {
		switch {
		case slices.Contains(agents, c.Stages.Builder):
			named = c.Stages.Builder
		case len(agents) == 1:
			named = agents[0]
		case len(agents) == 0:
			return "", config.Executor{}, faultf(errUsage, "no executor of the config is an agent").
				then("pipeline plan-tasks --agent NAME …, NAME being one of %s", strings.Join(agent.CLIs(), ", "))
		default:
			return "", config.Executor{}, faultf(errUsage, "several executors are agents: %s", strings.Join(agents, ", ")).
				then("pipeline plan-tasks --agent %s …", agents[0])
		}
	}
	if slices.Contains(agents, named) {
		return named, c.Executors[named], nil
	}
	if _, there := c.Executors[named]; !there && slices.Contains(agent.CLIs(), named) {
		return named, config.Executor{Agent: named, Reply: config.JSON, Retries: 1, Timeout: c.Timeout, IdleTimeout: c.IdleTimeout}, nil
	}
	known := slices.Compact(slices.Sorted(slices.Values(slices.Concat(agents, agent.CLIs()))))
	return "", config.Executor{}, faultf(errUsage, "--agent %s: it is no agent; there are %s", named, strings.Join(known, ", ")).
		then("pipeline config show")
}

// folderOf makes sure of the folder of TASK files and returns it, as an absolute
// path.
func (p *Process) folderOf(c config.Config, typed string) (string, error) {
	dir := c.TasksDir
	if typed != "" {
		dir = p.path(typed)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", faultf(errUsage, "the folder %s cannot be made: %v", p.typed(dir), err)
	}
	return dir, nil
}
