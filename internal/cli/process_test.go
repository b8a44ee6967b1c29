package cli

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// typed runs one command line in dir, without a process.
func typed(dir string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = Main(context.Background(), &Process{
		Args:    args,
		Stdin:   strings.NewReader(""),
		Stdout:  &out,
		Stderr:  &err,
		Environ: os.Environ(),
		Dir:     dir,
	})
	return code, out.String(), err.String()
}

// write makes the files of a tree.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

// commitAll makes a repository of a folder, with one commit of what is in it.
func commitAll(t *testing.T, dir string) {
	t.Helper()
	for _, line := range []string{"init -q -b main", "config user.name Somebody", "config user.email some@example.org", "add .", "commit -q -m Plan"} {
		out, err := exec.Command("git", append([]string{"-C", dir}, strings.Fields(line)...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

// state is everything that a write would change, by path.
func state(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		all[path] = info.Mode().String() + " " + info.ModTime().String()
		return err
	}))
	return all
}

func TestVerbsThatLookWriteNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"pipeline.yaml":    "jobs: 2\n",
		"tasks/TASK-01.md": "# TASK-01: One\n",
		"tasks/TASK-02.md": "# TASK-02: Two\n\n## Dependencies\n- TASK-01\n",
		"bad/TASK-01.md":   "---\ndepends: 1\n---\n",
	})
	commitAll(t, dir)
	before := state(t, dir)
	for _, line := range []string{
		"", "help", "version", "man", "completion bash", "schema pipeline", "doctor",
		"validate", "validate --json", "validate bad", "validate nowhere",
		"graph", "graph -o mermaid", "graph -o dot", "graph --json", "graph bad",
		"config show", "config show --origin",
		"plan", "plan --json", "plan bad", "run -n", "context TASK-02", "context TASK-02 --json", "explain TASK-02",
		"status", "sessions", "inspect TASK-01", "logs TASK-01", "diff TASK-01", "check",
	} {
		typed(dir, strings.Fields(line)...)
		require.Equal(t, before, state(t, dir), "pipeline %s", line)
	}
}

func TestAMessageCarriesNothingThatSteersATerminal(t *testing.T) {
	t.Parallel()
	hostile := "x\x1b[2J\r\npipeline: all is well\u202e"
	for _, args := range [][]string{{hostile}, {"validate", hostile}, {"graph", "-o", hostile}, {"new", hostile}, {"new", "x", "--depends", hostile}, {"-C", hostile, "version"}, {"schema", hostile}, {"--" + hostile}, {"config", hostile}, {"man", hostile}, {"completion", hostile}} {
		code, stdout, stderr := typed(t.TempDir(), args...)
		require.NotZero(t, code, "%q", args)
		require.Empty(t, stdout, "%q", args)
		for _, bad := range []string{"\x1b", "\r", "\u202e", "\npipeline: all is well"} {
			require.NotContains(t, stderr, bad, "%q", args)
		}
	}
}

func TestEveryVerbHasAGroupAnExampleAndAPlaceInTheHelp(t *testing.T) {
	t.Parallel()
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if sub.Name() == "help" {
				continue
			}
			require.NotEmpty(t, sub.Short, sub.CommandPath())
			require.NotEmpty(t, sub.Example, sub.CommandPath())
			require.False(t, strings.HasSuffix(sub.Short, "."), sub.CommandPath())
			if c.Parent() == nil {
				require.NotEmpty(t, sub.GroupID, sub.CommandPath())
			}
			look(sub)
		}
	}
	look(rootCommand(&Process{}))
}

func TestTheLastValueOfAVariableCounts(t *testing.T) {
	t.Parallel()
	p := &Process{Environ: []string{"CI=1", "CI_MODE=3", "CI=2"}}
	require.Equal(t, "2", p.getenv("CI"))
	require.Empty(t, p.getenv("TERM"))
}

func TestAPathIsShownAsItWouldBeTyped(t *testing.T) {
	t.Parallel()
	p := &Process{Dir: "/home/ada/shop"}
	require.Equal(t, "tasks", p.typed("/home/ada/shop/tasks"))
	require.Equal(t, ".", p.typed("/home/ada/shop"))
	require.Equal(t, "/home/ada/shop-2/tasks", p.typed("/home/ada/shop-2/tasks"))
	require.Equal(t, "..tasks", p.typed("/home/ada/shop/..tasks"))
	require.Equal(t, "/home/ada/shop/tasks", p.path("tasks"))
	require.Equal(t, "/tasks", p.path("/tasks/"))
}
