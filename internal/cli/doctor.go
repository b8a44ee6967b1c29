package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/internal/view"
)

func doctorCommand(p *Process) *cobra.Command {
	var asJSON, fix bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check everything that a run needs, and say how to mend what is missing",
		Long: `Check git and the repository, who commits, the settings, the TASKs, the programs
that build and verify them, and what earlier runs have left. Nothing is changed.

With --fix it first mends what killed runs have left, and tells each thing it
did: their lock, a landing that was cut off before the files of the checkout
followed, worktrees and refs that no session needs. Nothing of an open session
and nothing of yours is touched.

Exit code 0: a run can start, though there may be warnings. 2: it cannot.`,
		Example: "  pipeline doctor\n  pipeline doctor --fix",
		GroupID: groupSetUp,
		Args:    atMost(0),
		RunE:    func(c *cobra.Command, _ []string) error { return runDoctor(c.Context(), p, asJSON, fix) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON: a list of check, state, text, fix")
	c.Flags().BoolVar(&fix, "fix", false, "mend what killed runs have left")
	return c
}

// health is how a check went.
type health string

const (
	fine    health = "ok"
	mended  health = "done" // by --fix
	warned  health = "warn" // a run can start
	missing health = "fail" // it cannot
)

// finding is what one check of doctor says, as JSON.
type finding struct {
	Check string `json:"check"`
	State health `json:"state"` // ok, warn, fail, done
	Text  string `json:"text"`
	Fix   string `json:"fix,omitempty"`
}

func runDoctor(ctx context.Context, p *Process, asJSON, fix bool) error {
	var findings []finding
	if fix {
		did, err := p.mend(ctx)
		if errors.Is(err, errLocked) {
			return err
		}
		if findings = did; err != nil {
			findings = append(findings, failing("fix", err))
		}
	}
	findings = append(findings, p.examine(ctx)...)
	failed := 0
	for _, f := range findings {
		if f.State == missing {
			failed++
		}
	}
	if asJSON {
		if err := p.printJSON(findings); err != nil {
			return err
		}
	} else {
		p.printFindings(findings)
	}
	if failed > 0 {
		return faultf(errUsage, "%s of %d failed", plural(failed, "check"), len(findings))
	}
	return nil
}

func (p *Process) printFindings(findings []finding) {
	paint := p.palette(p.Stdout)
	colours := map[health]func(string) string{fine: paint.green, mended: paint.green, warned: paint.yellow, missing: paint.red}
	for _, f := range findings {
		state := colours[f.State](fmt.Sprintf("%-4s", f.State))
		fmt.Fprintf(p.Stdout, "%s  %-10s  %s\n", state, f.Check, view.Plain(f.Text))
		if f.Fix != "" {
			fmt.Fprintf(p.Stdout, "%18s%s\n", "", paint.bold(view.Plain(f.Fix)))
		}
	}
}
