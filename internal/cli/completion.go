package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

var shells = [...]string{"bash", "zsh", "fish", "powershell"}

func completionCommand(p *Process) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print a completion script for a shell",
		Long:  "Print a script that completes verbs, flags and their values. SHELL is " + strings.Join(shells[:], ", ") + ".",
		Example: `  source <(pipeline completion bash)
  pipeline completion zsh > "${fpath[1]}/_pipeline"
  pipeline completion fish > ~/.config/fish/completions/pipeline.fish`,
		GroupID:   groupSetUp,
		ValidArgs: shells[:],
		Args:      exactly(1, "the shell"),
		RunE:      func(c *cobra.Command, args []string) error { return runCompletion(c.Root(), p, args[0]) },
	}
}

func runCompletion(root *cobra.Command, p *Process, shell string) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(p.Stdout, true)
	case "zsh":
		return root.GenZshCompletion(p.Stdout)
	case "fish":
		return root.GenFishCompletion(p.Stdout, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(p.Stdout)
	}
	return faultf(errUsage, "no completion for %q: the shells are %s", shell, strings.Join(shells[:], ", ")).then("pipeline completion bash")
}
