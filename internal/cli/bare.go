package cli

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/tasks"
)

// runBare answers `pipeline` without a verb: how the live or the latest session
// stands; before the first one what the tasks folder holds; without that, help.
// Each with what to type next.
func runBare(c *cobra.Command, p *Process) error {
	if r, err := p.recorded(c.Context(), ""); err == nil {
		return r.Status(time.Now()).Brief(p.Stdout, p.style(p.Stdout))
	}
	settings, err := p.settings()
	if err != nil {
		return err
	}
	if _, err := os.Stat(settings.TasksDir); err != nil {
		return c.Help()
	}
	f, err := p.sound("")
	if err != nil {
		return err
	}
	fmt.Fprintln(p.Stdout, f.verdict())
	for _, problem := range f.Problems {
		if problem.Severity == tasks.Warning {
			fmt.Fprintf(p.Stderr, "next: pipeline validate %s\n", f.Name)
			return nil
		}
	}
	fmt.Fprintf(p.Stderr, "next: pipeline plan %s\n", f.Name)
	return nil
}
