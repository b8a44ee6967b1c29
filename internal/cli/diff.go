package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

func diffCommand(p *Process) *cobra.Command {
	var o lookOptions
	c := &cobra.Command{
		Use:   "diff TASK",
		Short: "Show what a TASK changed: its commit, or what its last builder left",
		Example: `  pipeline diff TASK-03
  pipeline diff TASK-03 | less`,
		GroupID: groupLook,
		Args:    exactly(1, "the TASK"),
		RunE:    func(c *cobra.Command, args []string) error { return runDiff(c.Context(), p, o, args[0]) },
	}
	o.addFlags(c)
	return c
}

func runDiff(ctx context.Context, p *Process, o lookOptions, typed string) error {
	r, id, err := p.recordedTask(ctx, o.Session, typed)
	if err != nil {
		return err
	}
	from, to := diffEnds(r.Plan.State(id))
	if to == "" {
		return faultf(errNothing, "%s: no builder has passed yet, so there is nothing to compare", id).then("pipeline explain %s", id)
	}
	diff, err := r.project.repo.Diff(ctx, from, to)
	if err != nil {
		return err
	}
	if o.JSON {
		return p.printJSON(struct {
			Task tasks.ID    `json:"task"`
			From stages.Hash `json:"from"`
			To   stages.Hash `json:"to"`
			Diff string      `json:"diff"`
		}{id, from, to, string(diff)})
	}
	_, err = p.Stdout.Write(diff)
	return err
}

// diffEnds are the two trees that tell what a TASK changed.
func diffEnds(s scheduler.TaskState) (from, to stages.Hash) {
	switch {
	case s.State == scheduler.IsLanded && s.Commit != "":
		return s.Commit + "^", s.Commit
	case s.Snapshot != nil && s.Snapshot.Tree != "":
		return s.Base, s.Snapshot.Tree
	}
	return "", ""
}
