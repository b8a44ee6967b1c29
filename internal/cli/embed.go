package cli

import (
	"context"
	"strconv"

	"github.com/taskpipeline/pipeline/internal/config"
	"github.com/taskpipeline/pipeline/scheduler"
)

// Embedded is a run that a Go program asks for.
type Embedded struct {
	Tasks     string   // folder; "" is the config's
	Only      []string // TASKs, with what they need; none means all
	Session   string   // to make or to join; "" as `pipeline run` does
	KeepGoing bool
	FailFast  bool
	Builder   string // executors; "" is the config's
	Verifier  string
	Jobs      int // 0 is the config's
	Observe   func(scheduler.Event)
}

// Ended is how such a run ended.
type Ended struct {
	Session string // "" when there was nothing to do
	Verdict scheduler.Verdict
	Totals  scheduler.Totals
}

// Run is `pipeline run` for a program: nothing is printed.
func Run(ctx context.Context, p *Process, e Embedded) (Ended, error) {
	o := runOptions{chosen: chosen{Dir: e.Tasks, Tasks: e.Only}, Session: e.Session, Flags: e.settings(), KeepOn: e.KeepGoing, Observe: e.Observe}
	b, err := p.prepare(ctx, o)
	if err != nil {
		return Ended{}, err
	}
	defer b.close()
	if b.session == nil {
		return Ended{Verdict: scheduler.AllDone, Totals: scheduler.Totals{UpToDate: b.upToDate()}}, nil
	}
	verdict, err := b.run(ctx)
	if err == nil {
		err = b.sweep(ctx)
	}
	return Ended{b.session.ID, verdict, b.record.Plan.Totals()}, err
}

func (e Embedded) settings() []config.Flag {
	var out []config.Flag
	set := func(key, value string) {
		if value != "" {
			out = append(out, config.Flag{Key: key, Name: "Options", Value: value})
		}
	}
	set("stages.builder", e.Builder)
	set("stages.verifier", e.Verifier)
	if e.Jobs > 0 {
		set("jobs", strconv.Itoa(e.Jobs))
	}
	return out
}
