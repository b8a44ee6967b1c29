package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/taskpipeline/pipeline/internal/config"
	"github.com/taskpipeline/pipeline/internal/view"
	"github.com/taskpipeline/pipeline/scheduler"
)

// runOptions are what `run` and `resume` go by.
type runOptions struct {
	chosen
	Session  string
	Join     bool // the session must be there already
	Flags    []config.Flag
	KeepOn   bool
	FailFast bool
	DryRun   bool
	Limit    time.Duration // of the whole run; 0 for none
	Output   string
	JUnit    string
	Observe  func(scheduler.Event) // an embedding program's; nothing is printed then
}

func runCommand(p *Process) *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "run [DIR] [TASK…]",
		Short: "Build what is not done: each TASK becomes one verified commit",
		Long: `Build every TASK of the folder (default: the config's, else tasks) that is not
done, in the order of the dependencies, independent ones at once. With TASKs
named, build those and what they need.

A TASK goes builder, verifier, committer. A FAIL sends it back to its builder
with the reason; the third makes it FAILED and no new TASK starts. A session
that was cut off, halted or is waiting is gone on with.`,
		Example: `  pipeline run                      # the folder tasks
  pipeline run -j 4 --keep-going    # four TASKs at once, past a failed one
  pipeline run TASK-03              # TASK-03 and what it needs
  pipeline run -n                   # only show what would happen`,
		GroupID: groupBuild,
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.arguments(args); err != nil {
				return err
			}
			o.Flags = settingFlags(c.Flags())
			if err := o.check(); err != nil {
				return err
			}
			if o.DryRun {
				return runPlan(c.Context(), p, planOptions{chosen: o.chosen, Flags: o.Flags, KeepOn: o.KeepOn})
			}
			return runRun(c.Context(), p, o)
		},
	}
	f := c.Flags()
	f.BoolVarP(&o.DryRun, "dry-run", "n", false, "show what would run, and do nothing")
	o.chosen.addFlags(f)
	o.addFlags(f)
	return c
}

// addFlags are the flags that run and resume share.
func (o *runOptions) addFlags(f *pflag.FlagSet) {
	f.IntP("jobs", "j", 0, "TASKs at work at once (default from the config, else up to 4)")
	f.BoolVarP(&o.KeepOn, "keep-going", "k", false, "after a FAILED TASK go on with those that do not need it")
	f.BoolVar(&o.FailFast, "fail-fast", false, "after a FAILED TASK cut off those that are running")
	f.String("builder", "", "`executor` that builds, instead of the config's")
	f.String("verifier", "", "`executor` that verifies, instead of the config's")
	f.Int("attempts", 0, "FAILs that a TASK may have (default 3)")
	f.Duration("timeout", 0, "limit of one stage (default 30m)")
	f.Duration("idle-timeout", 0, "limit of one stage without any output")
	f.DurationVar(&o.Limit, "run-timeout", 0, "limit of the whole run; when it is up, stages are cut off")
	f.String("isolation", "", "worktree, or none: work in the checkout itself")
	f.String("branch", "", "`branch` to land on; made at HEAD if it is not there (default the checked-out one)")
	f.StringVar(&o.Session, "session", "", "`id` of the session to make or to join")
	f.StringVar(&o.Session, "adw-id", "", "the same as --session")
	_ = f.MarkHidden("adw-id")
	f.StringVarP(&o.Output, "output", "o", "auto", "auto, tui, plain, group, ndjson or quiet")
	f.StringVar(&o.JUnit, "junit", "", "write a JUnit report to this `file` at the end")
}

// settingFlags are the flags that stand for a key of the configuration.
func settingFlags(f *pflag.FlagSet) []config.Flag {
	var out []config.Flag
	for name, key := range map[string]string{
		"jobs": "jobs", "attempts": "attempts", "timeout": "timeout", "idle-timeout": "idle_timeout",
		"isolation": "isolation", "branch": "branch", "builder": "stages.builder", "verifier": "stages.verifier",
	} {
		if flag := f.Lookup(name); flag != nil && flag.Changed {
			out = append(out, config.Flag{Key: key, Name: "--" + name, Value: flag.Value.String()})
		}
	}
	return out
}

// check refuses what makes no sense before anything is looked at.
func (o *runOptions) check() error {
	switch o.Output {
	case "auto", "tui", "plain", "group", "ndjson", "quiet":
	default:
		return faultf(errUsage, "--output %s: it is auto, tui, plain, group, ndjson or quiet", strconv.Quote(o.Output))
	}
	if o.KeepOn && o.FailFast {
		return faultf(errUsage, "--keep-going and --fail-fast exclude each other")
	}
	if o.Limit < 0 {
		return faultf(errUsage, "--run-timeout %s: it is a duration such as 45m; leave it out for no limit", o.Limit)
	}
	return nil
}

func runRun(ctx context.Context, p *Process, o runOptions) error {
	ctx, release := limited(ctx, o.Limit)
	defer release()
	b, err := p.prepare(ctx, o)
	if err != nil {
		return overtime(ctx, err)
	}
	defer b.mirror(ctx) // after everything, and with the lock given back
	defer b.close()
	if b.session == nil {
		return cmp.Or(b.sweep(ctx), b.sayUpToDate())
	}
	verdict, err := b.run(ctx)
	if o.JUnit != "" {
		if junitErr := b.writeJUnit(p.path(o.JUnit)); err == nil && junitErr != nil {
			err = fmt.Errorf("--junit: %w", junitErr)
		}
	}
	if err != nil {
		return b.fault(ctx, err)
	}
	if err := b.sweep(ctx); err != nil {
		return err
	}
	b.noticeChanges()
	return b.verdict(verdict)
}

// sweep removes what sessions that are done have left: this one, and any whose
// run was killed after its last landing.
func (b *build) sweep(ctx context.Context) error {
	_, err := b.project.sweep(ctx, false)
	return err
}

// sayUpToDate prints the last line of a run that has nothing to do, and makes
// no session.
func (b *build) sayUpToDate() error {
	if b.o.Output == "quiet" || b.o.Output == "ndjson" {
		return nil
	}
	_, err := fmt.Fprintln(b.p.Stdout, view.Tally(scheduler.Totals{UpToDate: b.upToDate()})+" in 0.0s")
	return err
}

// upToDate counts the TASKs that are done.
func (b *build) upToDate() int {
	done := 0
	for _, t := range scheduler.Initially(b.folder.Graph, b.facts, b.sel) {
		if t.State == scheduler.AsDone {
			done++
		}
	}
	return done
}
