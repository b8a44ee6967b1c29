package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/taskpipeline/pipeline/internal/view"
)

// completeUndo offers the TASKs of the folder and the sessions of the repository.
func completeUndo(p *Process) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []string
		offer := func(word, about string) {
			if strings.HasPrefix(strings.ToLower(word), strings.ToLower(typed)) {
				out = append(out, cobra.CompletionWithDesc(word, view.Plain(about)))
			}
		}
		if f, err := p.sound(""); err == nil {
			for t := range f.Graph.All() {
				offer(string(t.ID), t.Title)
			}
		}
		if pr, err := p.project(c.Context()); err == nil {
			if all, err := pr.store.List(); err == nil {
				for _, s := range all {
					offer(s.ID, s.Title)
				}
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}
