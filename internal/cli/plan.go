package cli

import "github.com/spf13/cobra"

func planCommand(p *Process) *cobra.Command {
	var o planOptions
	c := &cobra.Command{
		Use:   "plan [DIR] [TASK…]",
		Short: "Show what a run would build, in which waves, and why",
		Long: `Show what a run would do now: which TASKs would be built and why, which of them
at once, which may collide, and how many would have to be verified again because
the branch moved. It writes nothing.`,
		Example: "  pipeline plan\n  pipeline plan TASK-03 --json",
		GroupID: groupLook,
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.arguments(args); err != nil {
				return err
			}
			o.Flags = settingFlags(c.Flags())
			return runPlan(c.Context(), p, o)
		},
	}
	f := c.Flags()
	o.addFlags(f)
	f.IntP("jobs", "j", 0, "TASKs at work at once (default from the config, else up to 4)")
	f.String("branch", "", "`branch` to land on (default the checked-out one)")
	f.BoolVarP(&o.KeepOn, "keep-going", "k", false, "as if run with --keep-going")
	f.BoolVar(&o.JSON, "json", false, "print JSON")
	return c
}
