package cli

import "github.com/spf13/cobra"

// runBare answers `pipeline` without a verb.
func runBare(c *cobra.Command, p *Process) error {
	return c.Help()
}
