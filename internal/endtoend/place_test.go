package endtoend

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/scheduler"
)

var full = flag.Bool("full", false, "run all rounds of the long tests")

// rounds is how often a long test goes round: few of them unless -full.
func rounds(few, all int) int {
	if *full {
		return all
	}
	return few
}

// program is the binary under test, built once.
var program string

func TestMain(m *testing.M) { os.Exit(withProgram(m)) }

// withProgram builds the binary, keeps the machine's git settings away, and
// leaves nothing behind.
func withProgram(m *testing.M) int {
	flag.Parse()
	dir, err := os.MkdirTemp("", "pipeline-endtoend-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // other users run it, too
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	program = filepath.Join(dir, "pipeline")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/taskpipeline/pipeline/cmd/pipeline").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	for name, value := range map[string]string{"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull, "NO_COLOR": "1"} {
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// place is a repository with a tasks folder.
type place struct {
	*testing.T
	dir string
	env []string // added to the environment of every command
}

// newPlace makes a repository whose first commit holds the files.
func newPlace(t *testing.T, files map[string]string) *place {
	t.Helper()
	p := emptyPlace(t)
	p.write(files)
	p.git("add", ".")
	p.git("commit", "-q", "--allow-empty", "-m", "Plan")
	return p
}

// emptyPlace makes a repository without a commit.
func emptyPlace(t *testing.T) *place {
	t.Helper()
	p := &place{T: t, dir: t.TempDir()}
	p.git("init", "-q", "-b", "main")
	p.git("config", "user.name", "Somebody")
	p.git("config", "user.email", "some@example.org")
	return p
}

// task is a TASK file's text. Dependencies are ids.
func task(id, build, verify string, deps ...string) string {
	needs := ""
	if len(deps) > 0 {
		needs = "\n## Dependencies\n\n- " + strings.Join(deps, "\n- ") + "\n"
	}
	return fmt.Sprintf("# %s: %s\n%s\n## Build\n\n```sh\n%s\n```\n\n## Verify\n\n```sh\n%s\n```\n", id, "Part "+id, needs, build, verify)
}

// write makes files below the repository's root.
func (p *place) write(files map[string]string) {
	p.Helper()
	for name, text := range files {
		writeFile(p, p.dir, name, text)
	}
}

// writeFile makes a file below a folder.
func writeFile(p *place, dir, name, text string) {
	p.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	require.NoError(p, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(p, os.WriteFile(path, []byte(text), 0o644))
}

func (p *place) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p *place) read(name string) string {
	p.Helper()
	b, err := os.ReadFile(p.path(name))
	require.NoError(p, err)
	return string(b)
}

// git runs git in the repository and returns what it printed.
func (p *place) git(args ...string) string {
	p.Helper()
	r := p.command("git", args...)
	require.Zero(p, r.code, "git %s: %s", strings.Join(args, " "), r.stderr)
	return strings.TrimRight(r.stdout, "\n")
}

// result is how a process ended; code is -1 for one that was killed.
type result struct {
	code           int
	stdout, stderr string
}

// pipeline runs the program in the repository.
func (p *place) pipeline(args ...string) result {
	p.Helper()
	return p.command(program, args...)
}

// must runs the program and wants it to end with code.
func (p *place) must(code int, args ...string) result {
	p.Helper()
	r := p.pipeline(args...)
	require.Equal(p, code, r.code, "pipeline %s\n%s%s", strings.Join(args, " "), r.stdout, r.stderr)
	return r
}

// start makes a command in the repository without starting it.
func (p *place) start(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.Context(), name, args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), p.env...)
	return cmd
}

func (p *place) command(name string, args ...string) result {
	p.Helper()
	return p.wait(p.start(name, args...))
}

// wait runs a command to its end.
func (p *place) wait(cmd *exec.Cmd) result {
	p.Helper()
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(p, err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), said.String()}
}

// events is the record of the only session.
func (p *place) events() []scheduler.Event {
	p.Helper()
	records, err := filepath.Glob(p.path(".pipeline/sessions/*/events.jsonl"))
	require.NoError(p, err)
	require.Len(p, records, 1)
	text, err := os.ReadFile(records[0])
	require.NoError(p, err)
	var out []scheduler.Event
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var e scheduler.Event
		err := dec.Decode(&e)
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(p, err)
		out = append(out, e)
	}
}
