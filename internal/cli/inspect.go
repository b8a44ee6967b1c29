package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/internal/view"
	"github.com/taskpipeline/pipeline/progress"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

func inspectCommand(p *Process) *cobra.Command {
	var o lookOptions
	c := &cobra.Command{
		Use:   "inspect TASK",
		Short: "Show everything about one TASK: attempts, causes, output, claims, files",
		Long: `Show everything that is recorded of one TASK: its attempts with how each ended,
the command that failed and the end of its output, what its builder claimed
against what it changed, the files to open, and what to type next.`,
		Example: "  pipeline inspect TASK-03\n  pipeline inspect 3 --json",
		GroupID: groupLook,
		Args:    exactly(1, "the TASK"),
		RunE:    func(c *cobra.Command, args []string) error { return runInspect(c.Context(), p, o, args[0]) },
	}
	o.addFlags(c)
	return c
}

func runInspect(ctx context.Context, p *Process, o lookOptions, typed string) error {
	r, id, err := p.recordedTask(ctx, o.Session, typed)
	if err != nil {
		return err
	}
	found, err := r.found(ctx, p, id)
	if err != nil {
		return err
	}
	x := r.Inspect(id, found, time.Now())
	if o.JSON {
		return view.JSON(p.Stdout, x)
	}
	return x.Text(p.Stdout, p.style(p.Stdout))
}

// found looks at what is on disk of a TASK.
func (r *recorded) found(ctx context.Context, p *Process, id tasks.ID) (view.Found, error) {
	var f view.Found
	state := r.Plan.State(id)
	workspace, err := r.project.repo.WorkspaceOf(r.session.ID, id)
	if err != nil {
		return f, err
	}
	if workspace != "" {
		f.Workspace = p.typed(workspace)
	}
	for _, stage := range []dispatch.Stage{dispatch.Builder, dispatch.Verifier, dispatch.Committer} {
		dir := r.session.AgentDir(stages.Step{Task: id, Stage: stage}.Agent())
		names, err := filepath.Glob(filepath.Join(dir, "*.*"))
		if err != nil {
			return f, err
		}
		for _, name := range names {
			f.Files = append(f.Files, p.typed(name))
		}
	}
	if s := state.Snapshot; s != nil && s.Progress != "" {
		text, err := r.project.repo.Blob(s.Progress, resultLimit)
		if err != nil {
			return f, err
		}
		for _, c := range progress.Parse(text).Files {
			f.Claimed = append(f.Claimed, c.Path)
		}
	}
	f.Output, err = r.endOfOutput(id, state)
	return f, err
}

// endOfOutput is the last of what the step that failed printed.
func (r *recorded) endOfOutput(id tasks.ID, state scheduler.TaskState) (string, error) {
	stage := dispatch.Stage(state.FailedAt)
	if stage != dispatch.Builder && stage != dispatch.Verifier {
		return "", nil
	}
	file, err := os.Open(filepath.Join(r.session.AgentDir(stages.Step{Task: id, Stage: stage}.Agent()), "raw_output.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	const end = 4 << 10
	if info, err := file.Stat(); err == nil && info.Size() > end {
		if _, err := file.Seek(-end, io.SeekEnd); err != nil {
			return "", err
		}
	}
	b, err := io.ReadAll(io.LimitReader(file, end))
	return string(b), err
}
