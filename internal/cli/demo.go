package cli

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"
)

//go:embed demo
var demoFiles embed.FS

func demoCommand(p *Process) *cobra.Command {
	return &cobra.Command{
		Use:   "demo [DIR]",
		Short: "Write an example repository and run it: five TASKs, five commits",
		Long: `Write a small repository with a plan of five TASKs and run it for real: no agent,
no network. One TASK fails its first verification and is mended on its second
attempt. DIR must be new or empty; without it a temporary folder is made.`,
		Example: "  pipeline demo\n  pipeline demo /tmp/tally",
		GroupID: groupSetUp,
		Args:    atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			dir := ""
			if len(args) == 1 {
				dir = p.path(args[0])
			}
			return runDemo(c.Context(), p, dir)
		},
	}
}

func runDemo(ctx context.Context, p *Process, dir string) error {
	dir, err := demoDir(dir)
	if err != nil {
		return err
	}
	if err := writeDemo(dir); err != nil {
		return err
	}
	if err := p.commitDemo(ctx, dir); err != nil {
		return err
	}
	fmt.Fprintf(p.Stderr, "%s: a repository with five TASKs; running them now\n\n", dir)
	inside := *p
	inside.Dir = dir
	if err := runRun(ctx, &inside, runOptions{Output: "auto"}); err != nil {
		return err
	}
	fmt.Fprintf(p.Stderr, `
Look around:
  cd %s
  git log --stat                 # five verified commits
  pipeline inspect TASK-02       # failed its first verification, then was mended
  pipeline context TASK-04       # what its builder was told, and why
  ./tally README.md              # the program they built
`, dir)
	return nil
}

// demoDir makes the folder, or a temporary one.
func demoDir(dir string) (string, error) {
	if dir == "" {
		made, err := os.MkdirTemp("", "pipeline-demo-")
		if err != nil {
			return "", faultf(errUsage, "no temporary folder: %v", err).then("pipeline demo DIR")
		}
		return made, nil
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		return "", faultf(errUsage, "%s is not empty: the demo only writes where nothing is", dir).then("pipeline demo")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", faultf(errUsage, "the folder cannot be made: %v", err)
	}
	return dir, nil
}

// writeDemo unpacks the example.
func writeDemo(dir string) error {
	return fs.WalkDir(demoFiles, "demo", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("demo", filepath.FromSlash(name))
		if err != nil {
			return err
		}
		to := filepath.Join(dir, rel)
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		data, err := demoFiles.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
}

// commitDemo makes the first commit. The example has an identity of its own, so
// that it runs on a machine where git has none.
func (p *Process) commitDemo(ctx context.Context, dir string) error {
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"config", "user.name", "Pipeline Demo"},
		{"config", "user.email", "demo@localhost"},
		{"config", "commit.gpgsign", "false"},
		{"add", "."},
		{"commit", "-q", "-m", "Plan a word counter in five TASKs"},
	} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir, cmd.Env = dir, p.Environ
		if out, err := cmd.CombinedOutput(); err != nil {
			return faultf(errUsage, "git %s in %s: %v: %s", args[0], dir, err, out).then("pipeline doctor")
		}
	}
	return nil
}
