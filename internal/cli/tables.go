package cli

import (
	"fmt"

	"github.com/taskpipeline/pipeline/internal/mirror"
)

// tellTables lists what can be asked for.
func (p *Process) tellTables(asJSON bool) error {
	tables := mirror.Tables()
	if asJSON {
		return p.printJSON(tables)
	}
	paint := p.palette(p.Stdout)
	for _, t := range tables {
		fmt.Fprintf(p.Stdout, "%s  %s\n", paint.bold(t.Name), t.About)
		for _, c := range t.Columns {
			fmt.Fprintf(p.Stdout, "  %-13s  %-7s  %s\n", c.Name, c.Type, c.About)
		}
		fmt.Fprintln(p.Stdout)
	}
	_, err := fmt.Fprintf(p.Stdout, "next: %s\n", paint.bold(`pipeline query "SELECT task, state, attempt, reason FROM tasks"`))
	return err
}
