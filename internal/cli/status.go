package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/internal/view"
)

// lookOptions are what the verbs that show a session go by.
type lookOptions struct {
	Session string
	JSON    bool
}

func (o *lookOptions) addFlags(c *cobra.Command) {
	c.Flags().StringVar(&o.Session, "session", "", "`id` of the session, or the start of it; default the live or the latest one")
	c.Flags().BoolVar(&o.JSON, "json", false, "print JSON")
}

func statusCommand(p *Process) *cobra.Command {
	var o lookOptions
	c := &cobra.Command{
		Use:     "status [SESSION]",
		Short:   "Show where each TASK stands, and what to type next",
		Example: "  pipeline status\n  pipeline status --json",
		GroupID: groupLook,
		Args:    atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Session = args[0]
			}
			return runStatus(c.Context(), p, o)
		},
	}
	o.addFlags(c)
	return c
}

func runStatus(ctx context.Context, p *Process, o lookOptions) error {
	r, err := p.recorded(ctx, o.Session)
	if err != nil {
		return err
	}
	status := r.Status(time.Now())
	if o.JSON {
		return view.JSON(p.Stdout, status)
	}
	return status.Text(p.Stdout, p.style(p.Stdout))
}
