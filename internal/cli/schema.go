package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/schemas"
	"github.com/taskpipeline/pipeline/stages/envelope"
)

func schemaCommand(p *Process) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [NAME]",
		Short: "Print the JSON Schema of a file, or of an agent's reply",
		Long:  "Print a JSON Schema (draft 2020-12), or the names of all: of the files that pipeline reads and writes, and of the typed replies that it asks agents for.",
		Example: `  pipeline schema
  pipeline schema pipeline > .pipeline.schema.json
  pipeline schema BuildOutput`,
		GroupID:   groupSetUp,
		ValidArgs: schemaNames(),
		Args:      atMost(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return runSchema(p, slices.Concat(args, []string{""})[0])
		},
	}
}

// schemaNames are the names of all schemas: of files, then of replies.
func schemaNames() []string {
	names := schemas.Names()
	for _, t := range envelope.Types() {
		names = append(names, string(t))
	}
	return names
}

func runSchema(p *Process, name string) error {
	if name == "" {
		_, err := fmt.Fprintln(p.Stdout, strings.Join(schemaNames(), "\n"))
		return err
	}
	text, err := schemas.Get(name)
	switch {
	case slices.Contains(envelope.Types(), envelope.Type(name)):
		text = envelope.Schema(envelope.Type(name))
	case err != nil:
		return faultf(errNothing, "there is no schema %q; there are %s", name, strings.Join(schemaNames(), ", ")).then("pipeline schema")
	}
	_, err = p.Stdout.Write(text)
	return err
}
