package pipeline

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/taskpipeline/pipeline/internal/cli"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/tasks"
)

// Options say what Run builds. The zero value is `pipeline run` in the working
// directory. The repository's pipeline.yaml counts; what is set here wins.
type Options struct {
	Dir       string                // a path inside the repository; "" is the working directory
	Tasks     string                // the folder of TASK files; "" is the config's
	Only      []tasks.ID            // these and what they need; none means all
	Session   string                // id of the session to make or to join; "" goes on with the one that is not done
	Executors Executors             // beside those of the config
	Builder   string                // name of the executor that builds; "" is the config's
	Verifier  string                // name of the executor that verifies; "" is the config's
	Jobs      int                   // TASKs at once; 0 is the config's
	KeepGoing bool                  // past a FAILED TASK, with those that do not need it
	Observe   func(scheduler.Event) // sees every event once it is recorded; must not block
}

// Summary is how a run ended. It is well when the verdict is scheduler.AllDone.
type Summary struct {
	Session string // "" when everything was done before
	Verdict scheduler.Verdict
	Totals  scheduler.Totals
}

// Run builds what is not done of a folder of TASKs and returns when the run is
// over. A TASK that FAILED is no error but a verdict; an error says what kept
// the run from being begun, or cut it off, ctx included. It can be gone on with
// by another Run. Run prints nothing and leaves signals to the caller.
func Run(ctx context.Context, o Options) (Summary, error) {
	p := cli.OS(nil, o.Executors)
	p.Stdout, p.Stderr = io.Discard, io.Discard
	if o.Dir != "" {
		dir, err := filepath.Abs(o.Dir)
		if err != nil {
			return Summary{}, fmt.Errorf("%s: %w", o.Dir, err)
		}
		p.Dir = dir
	}
	e := cli.Embedded{Tasks: o.Tasks, Session: o.Session, Builder: o.Builder, Verifier: o.Verifier, Jobs: o.Jobs, KeepGoing: o.KeepGoing, Observe: o.Observe}
	for _, id := range o.Only {
		e.Only = append(e.Only, string(id))
	}
	ended, err := cli.Run(ctx, p, e)
	return Summary(ended), err
}
