package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// command runs git in one directory. Its environment is the caller's, without
// the variables that would send git to another repository or index.
type command struct {
	dir string
	env []string // KEY=value, put last
}

// localVars are the variables that tie a git process to a repository: a
// pipeline started from a hook or an alias inherits them.
func localVars() []string {
	return []string{
		"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE",
		"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_SHALLOW_FILE",
		"GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS",
		"GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_QUARANTINE_PATH",
	}
}

func environment() []string {
	var out []string
	for _, kv := range os.Environ() {
		key, _, _ := strings.Cut(kv, "=")
		local := false
		for _, v := range localVars() {
			local = local || key == v
		}
		if !local {
			out = append(out, kv)
		}
	}
	return append(out, "LC_ALL=C", "LANGUAGE=", "GIT_TERMINAL_PROMPT=0")
}

// with returns the command with more environment.
func (c command) with(env ...string) command {
	c.env = append(append([]string(nil), c.env...), env...)
	return c
}

// run returns what git printed. An exit status that is not 0 is a *gitError.
func (c command) run(ctx context.Context, args ...string) ([]byte, error) {
	return c.feed(ctx, nil, args...)
}

// line is run for commands that print one line.
func (c command) line(ctx context.Context, args ...string) (string, error) {
	out, err := c.run(ctx, args...)
	return strings.TrimRight(string(out), "\r\n"), err
}

// feed is run with something to read on stdin.
func (c command) feed(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	// fsmonitor would start a daemon for every worktree; ignoreStat would hide
	// what an agent changes.
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false", "-c", "core.ignoreStat=false"}, args...)...)
	cmd.Dir = c.dir
	cmd.Env = append(environment(), c.env...)
	cmd.Stdin = stdin
	// git removes its lock files on SIGTERM, not on SIGKILL.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	ownGroup(cmd)
	var stdout bytes.Buffer
	var stderr head
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err == nil {
		return stdout.Bytes(), nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return nil, fmt.Errorf("git %s in %s: %w", args[0], c.dir, err)
	}
	return stdout.Bytes(), &gitError{args: args, dir: c.dir, code: exit.ExitCode(), stderr: stderr.String()}
}

// gitError is a git command that ended with another status than 0.
type gitError struct {
	args   []string
	dir    string
	code   int
	stderr string
}

func (e *gitError) Error() string {
	said := strings.TrimSpace(e.stderr)
	if said == "" {
		said = fmt.Sprintf("exit status %d", e.code)
	}
	return fmt.Sprintf("git %s in %s: %s", e.args[0], e.dir, said)
}

// exited tells whether err is git ending with that status.
func exited(err error, code int) bool {
	var ge *gitError
	return errors.As(err, &ge) && ge.code == code
}

// complaint is what git said on stderr, "" for other errors.
func complaint(err error) string {
	var ge *gitError
	if errors.As(err, &ge) {
		return strings.TrimSpace(ge.stderr)
	}
	return ""
}

// locked tells whether git found a lock held by another process.
func locked(err error) bool {
	said := complaint(err)
	return strings.Contains(said, ".lock': File exists") || strings.Contains(said, "cannot lock ref")
}

// head keeps the first 64 KiB written to it.
type head struct{ bytes.Buffer }

func (t *head) Write(p []byte) (int, error) {
	if room := 64<<10 - t.Len(); room > 0 {
		t.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
