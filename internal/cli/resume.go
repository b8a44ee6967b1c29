package cli

import (
	"github.com/spf13/cobra"
)

func resumeCommand(p *Process) *cobra.Command {
	o := runOptions{Join: true}
	c := &cobra.Command{
		Use:   "resume [SESSION]",
		Short: "Go on with a session that was cut off, halted or is waiting",
		Long: `Go on where a session stopped: no finished step runs again, a step that was cut
off begins anew, a landing that was blocked is tried again. The tasks folder is
read again; TASKs that changed start over. Without a name it is the latest
session that is not done.`,
		Example: `  pipeline resume
  pipeline resume 01JD`,
		GroupID: groupBuild,
		Args:    atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Session = args[0]
			}
			o.Flags = settingFlags(c.Flags())
			if err := o.check(); err != nil {
				return err
			}
			return runRun(c.Context(), p, o)
		},
	}
	o.addFlags(c.Flags())
	return c
}
