package cli

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// The groups that `pipeline help` lists the verbs in.
const (
	groupBuild = "build"
	groupLook  = "look"
	groupSetUp = "setup"
)

// rootCommand is the whole command line.
func rootCommand(p *Process) *cobra.Command {
	var dir string
	root := &cobra.Command{
		Use:   "pipeline",
		Short: "Turn a folder of TASK files into verified git commits",
		Long: `Pipeline turns a folder of TASK files into verified git commits.

Each TASK is built, verified and committed, in the order of its dependencies and
in a git worktree of its own. Whatever builds and verifies, an agent or any
command, a commit lands only when the verifier passed that very tree.`,
		Example: `  pipeline init             # a config and a first TASK
  pipeline validate         # is every TASK file sound?
  pipeline graph            # what depends on what`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE: func(*cobra.Command, []string) error { return p.moveTo(dir) },
		Args:              knownVerb,
		RunE:              func(c *cobra.Command, _ []string) error { return runBare(c, p) },
	}
	root.PersistentFlags().StringVarP(&dir, "directory", "C", "", "work as if started in `DIR`")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return faultf(errUsage, "%v", err).then("%s --help", c.CommandPath())
	})
	root.AddGroup(
		&cobra.Group{ID: groupBuild, Title: "Build:"},
		&cobra.Group{ID: groupLook, Title: "Look, without changing anything:"},
		&cobra.Group{ID: groupSetUp, Title: "Set up:"},
	)
	root.SetHelpCommand(helpCommand())
	root.AddCommand(
		runCommand(p),
		resumeCommand(p),
		retryCommand(p),
		skipCommand(p),
		approveCommand(p),
		rejectCommand(p),
		undoCommand(p),
		stopCommand(p),
		planCommand(p),
		statusCommand(p),
		inspectCommand(p),
		explainCommand(p),
		contextCommand(p),
		logsCommand(p),
		diffCommand(p),
		checkCommand(p),
		sessionsCommand(p),
		queryCommand(p),
		demoCommand(p),
		validateCommand(p),
		graphCommand(p),
		configCommand(p),
		schemaCommand(p),
		doctorCommand(p),
		cleanCommand(p),
		rebuildCommand(p),
		initCommand(p),
		newCommand(p),
		planTasksCommand(p),
		completionCommand(p),
		manCommand(p),
		versionCommand(p),
	)
	return root
}

// moveTo is -C.
func (p *Process) moveTo(dir string) error {
	if dir == "" {
		return nil
	}
	to := p.path(dir)
	info, err := os.Stat(to)
	if err != nil || !info.IsDir() {
		return faultf(errUsage, "-C %s: no such directory", dir)
	}
	p.Dir = to
	return nil
}

// knownVerb refuses what is not a verb and says which one may have been meant.
func knownVerb(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	c.SuggestionsMinimumDistance = 2
	f := faultf(errUsage, "%q is not a command", args[0]).then("pipeline help")
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		f.text += "; did you mean " + strings.Join(near, " or ") + "?"
		f.then("pipeline %s", strings.Join(append([]string{near[0]}, args[1:]...), " "))
	}
	return f
}

// knownSubverb is knownVerb for a command that only holds others.
func knownSubverb(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return faultf(errUsage, "%s: %q is not a command", c.Name(), args[0]).then("%s --help", c.CommandPath())
}

// atMost refuses more than n arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > n {
			return faultf(errUsage, "%s: unexpected argument %q", c.Name(), args[n]).then("%s --help", c.CommandPath())
		}
		return nil
	}
}

// exactly refuses any other number of arguments than n; what names the missing one.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < n {
			return faultf(errUsage, "%s: %s is missing", c.Name(), what).then("%s --help", c.CommandPath())
		}
		return atMost(n)(c, args)
	}
}
