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

// upTo returns the first limit bytes that git prints, and whether there was more.
func (c command) upTo(ctx context.Context, limit int, args ...string) (out []byte, more bool, err error) {
	kept := &bounded{limit: limit}
	err = c.exec(ctx, nil, kept, args...)
	if kept.full {
		err = nil // it could not write the rest
	}
	return kept.kept, kept.full, err
}

// line is run for commands that print one line.
func (c command) line(ctx context.Context, args ...string) (string, error) {
	out, err := c.run(ctx, args...)
	return strings.TrimRight(string(out), "\r\n"), err
}

// feed is run with something to read on stdin.
func (c command) feed(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	var stdout bytes.Buffer
	err := c.exec(ctx, stdin, &stdout, args...)
	if ge := (*gitError)(nil); err != nil && !errors.As(err, &ge) {
		return nil, err
	}
	return stdout.Bytes(), err
}

func (c command) exec(ctx context.Context, stdin io.Reader, stdout io.Writer, args ...string) error {
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
	var stderr head
	cmd.Stdout, cmd.Stderr = stdout, &stderr
	err := cmd.Run()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("git %s in %s: %w", args[0], c.dir, err)
	}
	return &gitError{args: args, dir: c.dir, code: exit.ExitCode(), stderr: stderr.text()}
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

// bounded keeps the first limit bytes and takes no more.
type bounded struct {
	kept  []byte
	limit int
	full  bool
}

func (b *bounded) Write(p []byte) (int, error) {
	room := min(b.limit-len(b.kept), len(p))
	b.kept = append(b.kept, p[:room]...)
	if room < len(p) {
		b.full = true
		return room, io.ErrShortWrite
	}
	return len(p), nil
}

// head keeps the first 64 KiB written to it, and lets the rest go by. It embeds
// no Buffer: that would bring a ReadFrom along, which knows no bound.
type head struct{ kept []byte }

func (t *head) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p[:min(64<<10-len(t.kept), len(p))]...)
	return len(p), nil
}

func (t *head) text() string { return string(t.kept) }
