package gitrepo

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/internal/proc"
	"github.com/taskpipeline/pipeline/stages"
)

const (
	hookOutput   = 64 << 10 // of what a hook prints, kept
	messageLimit = 1 << 20  // of a message that a hook has worded
)

// hooks is what the hooks of one candidate run with.
type hooks struct {
	dir   string        // where they lie
	limit time.Duration // for each; 0 means none
	slot  *slot         // they run in it
	own   string        // a directory for their index and message
	env   []string      // beside what every stage sees
}

func (h *hooks) index() string { return filepath.Join(h.own, "index") }

// git runs on the hooks' index.
func (h *hooks) git() command { return h.slot.git.with("GIT_INDEX_FILE=" + h.index()) }

// run runs one hook; there is false when the repository has none that can be
// executed. A *Fault is its refusal.
func (h *hooks) run(ctx context.Context, name string, args ...string) (there bool, _ error) {
	path := filepath.Join(h.dir, name)
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return false, nil // as git does
	}
	within, cancel := ctx, context.CancelFunc(func() {})
	if h.limit > 0 {
		within, cancel = context.WithTimeout(ctx, h.limit)
	}
	defer cancel()
	said := proc.Capture{Limit: hookOutput}
	end, err := proc.Run(within, proc.Command{
		Argv: append([]string{path}, args...), Dir: h.slot.dir,
		Env: append(proc.Allowed(os.Environ()), h.env...), Stdout: &said, Stderr: &said,
	})
	how := end.String()
	switch {
	case err != nil && ctx.Err() == nil && within.Err() != nil:
		how = fmt.Sprintf("timed out after %s", h.limit)
	case err != nil:
		return true, fmt.Errorf("the hook %s: %w", name, err)
	case end.OK():
		return true, nil
	}
	return true, &stages.Fault{
		Reason:  fmt.Sprintf("the hook %s failed: %s", name, how),
		Details: []dispatch.Failure{{Check: name, Error: proc.WithLast(how, said.Bytes())}},
	}
}

// word lets commit-msg have its say about a message.
func (h *hooks) word(ctx context.Context, message string) (_ string, there bool, _ error) {
	const name = "commit-msg"
	file := filepath.Join(h.own, "COMMIT_EDITMSG")
	if err := os.WriteFile(file, []byte(message), 0o600); err != nil {
		return "", false, err
	}
	there, err := h.run(ctx, name, file)
	if err != nil || !there {
		return message, there, err
	}
	worded, err := readMessage(file)
	if err != nil {
		return "", true, stages.Faultf("the hook %s left a message that cannot be read: %v", name, err)
	}
	if worded == message {
		return message, true, nil
	}
	before, err := h.trailers(ctx, message)
	if err != nil {
		return "", true, err
	}
	after, err := h.trailers(ctx, worded)
	if err != nil {
		return "", true, err
	}
	if !slices.Equal(before, after) {
		return "", true, stages.Faultf("the hook %s changed the trailers that name the TASK: %s", name, strings.Join(before, ", "))
	}
	return worded, true, nil
}

func readMessage(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, messageLimit+1))
	switch {
	case err != nil:
		return "", err
	case len(b) > messageLimit:
		return "", fmt.Errorf("it is larger than %d bytes", messageLimit)
	case strings.TrimSpace(string(b)) == "":
		return "", fmt.Errorf("it is empty")
	}
	return cleanMessage(string(b)), nil
}

// trailers are the lines of a message that git, and we, take for the trailers
// of a TASK's commit.
func (h *hooks) trailers(ctx context.Context, message string) ([]string, error) {
	out, err := h.slot.git.feed(ctx, strings.NewReader(message), "interpret-trailers", "--parse")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(string(out)), "\n"), func(line string) bool {
		return !strings.HasPrefix(strings.ToLower(line), "pipeline-")
	}), nil
}
