package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/internal/view"
)

type graphOptions struct {
	Dir    string
	Output string
}

// graphForms are the forms that a graph can be printed in.
var graphForms = [...]string{"text", "mermaid", "dot", "json"}

func graphCommand(p *Process) *cobra.Command {
	var o graphOptions
	var asJSON bool
	c := &cobra.Command{
		Use:   "graph [DIR]",
		Short: "Draw what depends on what",
		Long: `Draw the dependency graph of a tasks folder: as text for a terminal, wave by wave
(the TASKs of a wave could run together), as Mermaid or DOT for other programs,
or as JSON. In the text a TASK hangs on what it needs: ○ and ◇ need nothing,
nothing needs ◆ and ◇.`,
		Example: `  pipeline graph
  pipeline graph -o mermaid >> README.md
  pipeline graph -o dot | dot -Tpng > plan.png`,
		GroupID: groupLook,
		Args:    atMost(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.Dir = slices.Concat(args, []string{""})[0]
			if asJSON {
				o.Output = "json"
			}
			if err := o.check(); err != nil {
				return err
			}
			return runGraph(p, o)
		},
	}
	c.Flags().StringVarP(&o.Output, "output", "o", "text", "print as `FORM`: "+strings.Join(graphForms[:], ", "))
	c.Flags().BoolVar(&asJSON, "json", false, "the same as -o json")
	c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(graphForms[:], cobra.ShellCompDirectiveNoFileComp))
	return c
}

func (o graphOptions) check() error {
	switch {
	case slices.Contains(graphForms[:], o.Output):
		return nil
	case o.Output == "svg", o.Output == "html":
		return faultf(errUsage, "-o %s: this version draws no pictures itself", o.Output).then("pipeline graph -o dot | dot -Tsvg > plan.svg")
	}
	return faultf(errUsage, "-o %q: a graph is printed as %s", o.Output, strings.Join(graphForms[:], ", ")).then("pipeline graph -o text")
}

func runGraph(p *Process, o graphOptions) error {
	f, err := p.sound(o.Dir)
	if err != nil {
		return err
	}
	switch o.Output {
	case "mermaid":
		return view.GraphMermaid(p.Stdout, f.Graph)
	case "dot":
		return f.Graph.DOT(p.Stdout)
	case "json":
		return view.GraphJSON(p.Stdout, f.Graph)
	}
	return view.GraphText(p.Stdout, f.Graph, p.width(p.Stdout))
}
