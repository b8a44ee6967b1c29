package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
)

func initCommand(p *Process) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Write a commented pipeline.yaml and a first TASK",
		Long: `Write what a repository needs to begin: pipeline.yaml with every common setting
explained, and a tasks folder with one TASK that needs no agent. A file that is
there already is kept as it is.`,
		Example: `  pipeline init
  git add pipeline.yaml tasks && git commit -m "Plan the first TASK"
  pipeline run`,
		GroupID: groupSetUp,
		Args:    atMost(0),
		RunE:    func(*cobra.Command, []string) error { return runInit(p) },
	}
}

func runInit(p *Process) error {
	wrote := false
	put := func(name string, data []byte) error {
		err := writeNew(p.path(name), data)
		switch {
		case errors.Is(err, fs.ErrExist):
			fmt.Fprintf(p.Stdout, "kept  %s\n", name)
			return nil
		case err != nil:
			return faultf(errUsage, "%s cannot be written: %v", name, err)
		}
		wrote = true
		fmt.Fprintf(p.Stdout, "wrote %s\n", name)
		return nil
	}
	if err := put("pipeline.yaml", template("pipeline.yaml")); err != nil {
		return err
	}

	settings, err := p.settings()
	if err != nil {
		return err
	}
	dir := p.typed(settings.TasksDir)
	taken, err := takenNumbers(settings.TasksDir)
	if err != nil {
		return err
	}
	if len(taken) > 0 {
		fmt.Fprintf(p.Stdout, "kept  %s, which holds TASKs\n", dir)
	} else {
		if err := os.MkdirAll(settings.TasksDir, 0o755); err != nil {
			return faultf(errUsage, "the folder %s cannot be made: %v", dir, err)
		}
		if err := put(dir+"/TASK-01-say-hello.md", template("first.md")); err != nil {
			return err
		}
	}
	p.afterInit(dir, wrote)
	return nil
}

// afterInit says what to type next.
func (p *Process) afterInit(dir string, wrote bool) {
	next := "pipeline run"
	_, inGit := gitRoot(p.Dir)
	switch {
	case !inGit:
		next = "git init && git add pipeline.yaml " + dir + " && git commit -m 'Plan the first TASK' && pipeline run"
	case wrote:
		next = "git add pipeline.yaml " + dir + " && git commit -m 'Plan the first TASK' && pipeline run"
	}
	fmt.Fprintf(p.Stderr, "next: %s\n", next)
}
