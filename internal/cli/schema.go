package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/schemas"
)

func schemaCommand(p *Process) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [NAME]",
		Short: "Print the JSON Schema of a file that pipeline reads or writes",
		Long:  "Print a JSON Schema (draft 2020-12), or the names of all: " + strings.Join(schemas.Names(), ", ") + ".",
		Example: `  pipeline schema
  pipeline schema pipeline > .pipeline.schema.json`,
		GroupID:   groupSetUp,
		ValidArgs: schemas.Names(),
		Args:      atMost(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return runSchema(p, slices.Concat(args, []string{""})[0])
		},
	}
}

func runSchema(p *Process, name string) error {
	if name == "" {
		_, err := fmt.Fprintln(p.Stdout, strings.Join(schemas.Names(), "\n"))
		return err
	}
	text, err := schemas.Get(name)
	if err != nil {
		return faultf(errNothing, "%v", err).then("pipeline schema")
	}
	_, err = p.Stdout.Write(text)
	return err
}
