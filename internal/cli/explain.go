package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/internal/view"
)

func explainCommand(p *Process) *cobra.Command {
	var o lookOptions
	c := &cobra.Command{
		Use:     "explain TASK",
		Short:   "Tell why a TASK is in the state that it is in",
		Example: "  pipeline explain TASK-04",
		GroupID: groupLook,
		Args:    exactly(1, "the TASK"),
		RunE:    func(c *cobra.Command, args []string) error { return runExplain(c.Context(), p, o, args[0]) },
	}
	o.addFlags(c)
	return c
}

func runExplain(ctx context.Context, p *Process, o lookOptions, typed string) error {
	r, err := p.recorded(ctx, o.Session)
	if err != nil {
		return err
	}
	id, err := taskOf(r.Plan.Graph(), typed)
	if err != nil {
		return err
	}
	x := r.Explain(id)
	if o.JSON {
		return view.JSON(p.Stdout, x)
	}
	return x.Text(p.Stdout, p.style(p.Stdout))
}
