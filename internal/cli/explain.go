package cli

import (
	"context"
	"errors"

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

// runExplain tells of a TASK as a session has it, or, before the first session
// or for a TASK that it does not know, as a run would find it now.
func runExplain(ctx context.Context, p *Process, o lookOptions, typed string) error {
	record, err := p.explained(ctx, o.Session, typed)
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

func (p *Process) explained(ctx context.Context, named, typed string) (*view.Record, error) {
	r, err := p.recorded(ctx, named)
	if err == nil {
		if _, err := taskOf(r.Plan.Graph(), typed); err == nil || named != "" {
			return r.Record, nil
		}
	} else if !errors.Is(err, errNothing) || named != "" {
		return nil, err
	}
	v, err := p.preview(ctx, runOptions{})
	if err != nil {
		return nil, err
	}
	return v.record, nil
}
