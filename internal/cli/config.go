package cli

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/internal/config"
	"github.com/taskpipeline/pipeline/internal/view"
)

func configCommand(p *Process) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Show the settings in force and where each comes from",
		Long: `Settings come from flags, from variables named PIPELINE_CFG_<KEY>, from the nearest
pipeline.yaml up to the repository's root, from the user's own, or are defaults;
the first of these that says something counts.`,
		Example: "  pipeline config show --origin",
		GroupID: groupLook,
		Args:    knownSubverb,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(configShowCommand(p))
	return c
}

type configShowOptions struct{ Origin, JSON bool }

func configShowCommand(p *Process) *cobra.Command {
	var o configShowOptions
	c := &cobra.Command{
		Use:   "show",
		Short: "Print every setting",
		Example: `  pipeline config show --origin
  PIPELINE_CFG_JOBS=8 pipeline config show --json`,
		Args: atMost(0),
		RunE: func(*cobra.Command, []string) error { return runConfigShow(p, o) },
	}
	c.Flags().BoolVar(&o.Origin, "origin", false, "say where each value comes from")
	c.Flags().BoolVar(&o.JSON, "json", false, "print JSON: a list of key, value, origin")
	return c
}

// settingDoc is one setting as JSON.
type settingDoc struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Origin string `json:"origin"`
}

func runConfigShow(p *Process, o configShowOptions) error {
	c, err := p.settings()
	if err != nil {
		return err
	}
	all := c.Settings()
	if o.JSON {
		docs := make([]settingDoc, len(all))
		for i, s := range all {
			docs[i] = settingDoc{s.Key, s.Value, s.Origin.String()}
		}
		return p.printJSON(docs)
	}
	table := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	for _, s := range all {
		fmt.Fprintf(table, "%s\t%s", s.Key, shownValue(s))
		if o.Origin {
			fmt.Fprintf(table, "\t%s", view.Plain(s.Origin.String()))
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}

// shownValue is a value as pipeline.yaml could hold it.
func shownValue(s config.Setting) string {
	if text, ok := s.Value.(string); ok {
		if text == "" || text != view.Plain(text) || strings.ContainsAny(text, ` #:"'{}[],&*`) {
			return strconv.Quote(text)
		}
		return text
	}
	b, err := json.Marshal(s.Value)
	if err != nil || string(b) == "null" {
		return "[]"
	}
	return string(b)
}
