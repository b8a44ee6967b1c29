package cli

import "github.com/spf13/cobra"

// helpCommand is cobra's, but for an error where there is nothing to tell.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [VERB]",
		Short:   "Explain a command",
		Example: "  pipeline help graph",
		GroupID: groupSetUp,
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return knownVerb(c.Root(), args)
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
