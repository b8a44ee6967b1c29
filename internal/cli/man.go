package cli

import (
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

type manOptions struct {
	Dir  string
	Verb []string
}

func manCommand(p *Process) *cobra.Command {
	var o manOptions
	c := &cobra.Command{
		Use:   "man [VERB]",
		Short: "Print a manual page, or write all of them to a folder",
		Example: `  pipeline man | man -l -
  pipeline man graph | man -l -
  pipeline man --dir ~/.local/share/man/man1`,
		GroupID: groupSetUp,
		RunE: func(c *cobra.Command, args []string) error {
			o.Verb = args
			if err := o.check(); err != nil {
				return err
			}
			return runMan(c.Root(), p, o)
		},
	}
	c.Flags().StringVar(&o.Dir, "dir", "", "write one file per command to `DIR`, which must exist")
	return c
}

func (o manOptions) check() error {
	if o.Dir != "" && len(o.Verb) > 0 {
		return faultf(errUsage, "--dir writes every page; it takes no verb").then("pipeline man --dir %s", o.Dir)
	}
	return nil
}

func runMan(root *cobra.Command, p *Process, o manOptions) error {
	b := built()
	if b.Time.IsZero() { // then cobra would take the clock's, and equal builds would give other pages
		b.Time = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	head := &doc.GenManHeader{Section: "1", Source: "pipeline " + b.Version, Manual: "Pipeline", Date: &b.Time}
	if o.Dir != "" {
		dir := p.path(o.Dir)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return faultf(errUsage, "--dir %s: no such directory", o.Dir).then("mkdir -p %s", o.Dir)
		}
		return doc.GenManTree(root, head, dir)
	}
	c, rest, err := root.Find(o.Verb)
	if err != nil || len(rest) > 0 {
		return faultf(errNothing, "no manual page for %q", strings.Join(o.Verb, " ")).then("pipeline help")
	}
	return doc.GenMan(c, head, p.Stdout)
}
