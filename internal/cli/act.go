package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/scheduler"
)

// actOptions are what the verbs that act on a session go by.
type actOptions struct {
	Session string
	Task    string
	Event   scheduler.Event
	GoOn    bool // run on afterwards, when no run is alive
}

func retryCommand(p *Process) *cobra.Command {
	var o actOptions
	var from string
	var clean bool
	c := &cobra.Command{
		Use:   "retry TASK",
		Short: "Grant a FAILED TASK three more attempts, and go on",
		Long: `Grant a FAILED TASK another round of attempts and go on with the run. Its changes
are carried over to the branch's tip where they merge; numbering goes on.`,
		Example: `  pipeline retry TASK-03
  pipeline retry TASK-03 --from verifier   # you mended its worktree: only verify
  pipeline retry TASK-03 --clean           # from the branch's tip, nothing carried over`,
		GroupID: groupBuild,
		Args:    exactly(1, "the TASK"),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case from != "" && from != scheduler.FromVerifier:
				return faultf(errUsage, "--from %q: it is verifier", from)
			case from != "" && clean:
				return faultf(errUsage, "--from and --clean exclude each other")
			case clean:
				from = scheduler.FromClean
			}
			o.Task, o.GoOn = args[0], true
			o.Event = scheduler.Event{Verb: scheduler.RetryIt, From: from}
			return runAct(c.Context(), p, o)
		},
	}
	c.Flags().StringVar(&from, "from", "", "verifier: take the worktree as you mended it")
	c.Flags().BoolVar(&clean, "clean", false, "start from the branch's tip with nothing carried over")
	o.addFlags(c)
	return c
}

func skipCommand(p *Process) *cobra.Command {
	var o actOptions
	var reason string
	c := &cobra.Command{
		Use:     "skip TASK --reason TEXT",
		Short:   "Leave a TASK out: those that need it go on without it",
		Example: `  pipeline skip TASK-03 --reason "done by hand in 1a2b3c4"`,
		GroupID: groupBuild,
		Args:    exactly(1, "the TASK"),
		RunE: func(c *cobra.Command, args []string) error {
			if reason == "" {
				return faultf(errUsage, "skip: say why with --reason").then("pipeline skip %s --reason \"…\"", args[0])
			}
			o.Task = args[0]
			o.Event = scheduler.Event{Verb: scheduler.Skip, Reason: reason}
			return runAct(c.Context(), p, o)
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why, for the record")
	o.addFlags(c)
	return c
}

func approveCommand(p *Process) *cobra.Command {
	var o actOptions
	c := &cobra.Command{
		Use:     "approve TASK",
		Short:   "Let a verified TASK land that waits for a person",
		Example: "  pipeline diff TASK-03\n  pipeline approve TASK-03\n  pipeline resume",
		GroupID: groupBuild,
		Args:    exactly(1, "the TASK"),
		RunE: func(c *cobra.Command, args []string) error {
			o.Task, o.Event = args[0], scheduler.Event{Verb: scheduler.Approve}
			return runAct(c.Context(), p, o)
		},
	}
	o.addFlags(c)
	return c
}

func rejectCommand(p *Process) *cobra.Command {
	var o actOptions
	var reason string
	var final bool
	c := &cobra.Command{
		Use:   "reject TASK --reason TEXT",
		Short: "Send a TASK that waits for approval back to its builder",
		Example: `  pipeline reject TASK-03 --reason "the error text names no file"
  pipeline reject TASK-03 --reason "we do not want this" --final`,
		GroupID: groupBuild,
		Args:    exactly(1, "the TASK"),
		RunE: func(c *cobra.Command, args []string) error {
			if reason == "" {
				return faultf(errUsage, "reject: say why with --reason; the builder is told").then("pipeline reject %s --reason \"…\"", args[0])
			}
			o.Task, o.Event = args[0], scheduler.Event{Verb: scheduler.Reject, Reason: reason}
			if final {
				o.Event.From = scheduler.Final
			}
			return runAct(c.Context(), p, o)
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "what is wrong, for the builder")
	c.Flags().BoolVar(&final, "final", false, "make the TASK FAILED at once")
	o.addFlags(c)
	return c
}

func stopCommand(p *Process) *cobra.Command {
	var o actOptions
	c := &cobra.Command{
		Use:     "stop",
		Short:   "End the live run: stages are cut off, nothing finished is lost",
		Example: "  pipeline stop\n  pipeline resume",
		GroupID: groupBuild,
		Args:    atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			o.Event = scheduler.Event{Verb: scheduler.Stop}
			return runAct(c.Context(), p, o)
		},
	}
	o.addFlags(c)
	return c
}

func (o *actOptions) addFlags(c *cobra.Command) {
	c.Flags().StringVar(&o.Session, "session", "", "`id` of the session; default the live or the latest one")
}

// runAct asks a live run, or takes the lock and records the command itself.
func runAct(ctx context.Context, p *Process, o actOptions) error {
	pr, err := p.project(ctx)
	if err != nil {
		return err
	}
	s, err := pr.toActOn(o.Session)
	if err != nil {
		return err
	}
	events, err := s.Read()
	if err != nil {
		return faultf(errIntegrity, "%v", err)
	}
	plan, err := scheduler.Replay(nil, events)
	if err != nil {
		return faultf(errIntegrity, "%s: %v", p.typed(s.EventsFile()), err)
	}
	o.Event.Type = scheduler.Command
	if o.Task != "" {
		if o.Event.Task, err = taskOf(plan.Graph(), o.Task); err != nil {
			return err
		}
	}
	if why, ok := plan.Allows(o.Event); !ok {
		return faultf(errUsage, "%s: %s", o.Event.Verb, why).then("pipeline explain %s", o.Event.Task)
	}
	reply, err := tell(pr, s, o.Event)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s: %s\n", reply.text, said(o.Event))
	switch {
	case reply.live:
		return nil
	case !o.GoOn:
		fmt.Fprintln(p.Stderr, "next: pipeline resume")
		return nil
	}
	return runRun(ctx, p, runOptions{Session: s.ID, Join: true, Output: "auto"})
}

// said is a command as people read it.
func said(e scheduler.Event) string {
	out := string(e.Verb)
	if e.Task != "" {
		out += " " + string(e.Task)
	}
	if e.Reason != "" {
		out += fmt.Sprintf(" (%s)", e.Reason)
	}
	return out
}
