package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/internal/view"
)

type contextOptions struct {
	Dir  string
	JSON bool
}

func contextCommand(p *Process) *cobra.Command {
	var o contextOptions
	c := &cobra.Command{
		Use:   "context TASK",
		Short: "Show the exact dispatch that a TASK's builder is sent, and why",
		Long: `Show what the window lets through to a TASK's builder: each TASK that it depends
on with its distance, the way there, the level and its size, against sending
everything; then the dispatch, byte for byte.`,
		Example: "  pipeline context TASK-04\n  pipeline context TASK-04 --json",
		GroupID: groupLook,
		Args:    exactly(1, "the TASK"),
		RunE:    func(c *cobra.Command, args []string) error { return runContext(c.Context(), p, o, args[0]) },
	}
	c.Flags().StringVar(&o.Dir, "dir", "", "the `folder` of TASK files; default: the config's")
	c.Flags().BoolVar(&o.JSON, "json", false, "print JSON")
	return c
}

func runContext(ctx context.Context, p *Process, o contextOptions, typed string) error {
	v, err := p.preview(ctx, runOptions{chosen: chosen{Dir: o.Dir}})
	if err != nil {
		return err
	}
	id, err := taskOf(v.folder.Graph, typed)
	if err != nil {
		return err
	}
	c, err := v.record.Context(id)
	if err != nil {
		return err
	}
	if o.JSON {
		return view.JSON(p.Stdout, c)
	}
	return c.Text(p.Stdout, p.style(p.Stdout))
}
