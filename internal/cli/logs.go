package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/internal/view"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

type logsOptions struct {
	lookOptions
	Follow bool
	Stage  string
	Raw    bool
}

func logsCommand(p *Process) *cobra.Command {
	var o logsOptions
	c := &cobra.Command{
		Use:   "logs TASK",
		Short: "Print what a TASK's stages printed",
		Long: `Print what the stages of a TASK printed, in all attempts. Of an agent it tells
what was sent, what it did and said, and what became of its replies; --raw prints
its event stream as it came.`,
		Example: `  pipeline logs TASK-03
  pipeline logs TASK-03 -f --stage builder`,
		GroupID: groupLook,
		Args:    exactly(1, "the TASK"),
		RunE: func(c *cobra.Command, args []string) error {
			if s := dispatch.Stage(o.Stage); s != "" && s != dispatch.Builder && s != dispatch.Verifier {
				return faultf(errUsage, "--stage %q: it is builder or verifier", o.Stage)
			}
			if o.JSON && (o.Follow || o.Raw) {
				return faultf(errUsage, "--json goes with neither --follow nor --raw")
			}
			return runLogs(c.Context(), p, o, args[0])
		},
	}
	o.addFlags(c)
	c.Flags().BoolVarP(&o.Follow, "follow", "f", false, "go on printing until the TASK's stages are over")
	c.Flags().StringVar(&o.Stage, "stage", "", "builder or verifier; default both")
	c.Flags().BoolVar(&o.Raw, "raw", false, "print the bytes as they came, event streams, colours and all")
	return c
}

// logText is what one stage of a TASK has printed, in all its attempts.
type logText struct {
	Stage dispatch.Stage `json:"stage"`
	Text  string         `json:"text"`
}

func runLogs(ctx context.Context, p *Process, o logsOptions, typed string) error {
	r, id, err := p.recordedTask(ctx, o.Session, typed)
	if err != nil {
		return err
	}
	w := p.Stdout
	if !o.Raw && !o.JSON {
		safe := view.Printable(w)
		defer safe.Close()
		said := view.Conversation(safe)
		defer said.Close()
		w = said
	}
	found := false
	var texts []logText
	for _, stage := range []dispatch.Stage{dispatch.Builder, dispatch.Verifier} {
		if o.Stage != "" && o.Stage != string(stage) {
			continue
		}
		var text bytes.Buffer
		if o.JSON {
			w = &text
		}
		ok, err := copyLog(ctx, w, r, id, stage, o.Follow && r.Live)
		if err != nil {
			return err
		}
		found = found || ok
		texts = append(texts, logText{stage, text.String()})
	}
	if o.JSON {
		return p.printJSON(texts)
	}
	if !found {
		return faultf(errNothing, "%s has printed nothing yet", id).then("pipeline explain %s", id)
	}
	return nil
}

// copyLog prints one stage's raw output and, if asked, what is added to it
// until the run is over or another stage's turn has come.
func copyLog(ctx context.Context, w io.Writer, r *recorded, id tasks.ID, stage dispatch.Stage, follow bool) (bool, error) {
	step := stages.Step{Task: id, Stage: stage}
	f, err := os.Open(filepath.Join(r.session.AgentDir(step.Agent()), "raw_output.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	n, err := io.Copy(w, f)
	for follow && err == nil {
		follow = r.works(id, stage)
		select {
		case <-ctx.Done():
			return true, nil
		case <-time.After(300 * time.Millisecond):
		}
		_, err = io.Copy(w, f)
	}
	return n > 0, err
}

// works tells whether a stage of a TASK is under way in a run that lives.
func (r *recorded) works(id tasks.ID, stage dispatch.Stage) bool {
	events, err := r.session.Read()
	if err != nil {
		return false
	}
	record, err := view.Fold(nil, events)
	if err != nil {
		return false
	}
	holder, live, err := session.Held(r.project.repo.CommonDir())
	s := record.Plan.State(id)
	return err == nil && live && holder.Session == r.session.ID && s.UnderWay && s.Stage == stage
}
