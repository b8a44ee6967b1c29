package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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

	taken, err := takenNumbers(p.path("tasks"))
	if err != nil {
		return err
	}
	if len(taken) > 0 {
		fmt.Fprintln(p.Stdout, "kept  tasks, which holds TASKs")
	} else {
		if err := os.MkdirAll(p.path("tasks"), 0o755); err != nil {
			return faultf(errUsage, "the folder tasks cannot be made: %v", err)
		}
		if err := put("tasks/TASK-01-say-hello.md", template("first.md")); err != nil {
			return err
		}
	}
	p.afterInit(wrote)
	return nil
}

// afterInit says what to type next.
func (p *Process) afterInit(wrote bool) {
	next := "pipeline run"
	switch {
	case !insideGit(p.Dir):
		next = "git init && git add pipeline.yaml tasks && git commit -m 'Plan the first TASK' && pipeline run"
	case wrote:
		next = "git add pipeline.yaml tasks && git commit -m 'Plan the first TASK' && pipeline run"
	}
	fmt.Fprintf(p.Stderr, "next: %s\n", next)
}

// insideGit looks for a repository the way git does, upwards.
func insideGit(dir string) bool {
	for {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}
