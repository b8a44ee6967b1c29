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

// runExplain tells of a TASK as a run would find it now: the session that is
// not done, what the branch says, and the folder as it is. A live run, or a
// session that was named, speaks for itself.
func runExplain(ctx context.Context, p *Process, o lookOptions, typed string) error {
	record, err := p.explained(ctx, o.Session)
	if err != nil {
		return err
	}
	id, err := taskOf(record.Plan.Graph(), typed)
	if err != nil {
		return err
	}
	x := record.Explain(id)
	if o.JSON {
		return view.JSON(p.Stdout, x)
	}
	return x.Text(p.Stdout, p.style(p.Stdout))
}

func (p *Process) explained(ctx context.Context, named string) (*view.Record, error) {
	r, err := p.recorded(ctx, named)
	if err == nil && (named != "" || r.Live) {
		return r.Record, nil
	}
	if named != "" {
		return nil, err
	}
	v, err := p.preview(ctx, runOptions{})
	if err != nil {
		return nil, err
	}
	return v.record, nil
}
