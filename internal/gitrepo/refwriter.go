package gitrepo

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"

	"github.com/taskpipeline/pipeline/internal/crash"
)

// refWriter moves refs through one `git update-ref --stdin` that stays, which
// saves starting a process for each. Every move is a transaction of its own,
// so git's locks, compare-and-swap, reflogs and hooks hold as always. git ends
// at the first refusal; the next move starts it again. The zero value with a
// command is ready.
type refWriter struct {
	git command

	mu   sync.Mutex
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	said *head
}

// move points a ref at a commit. With old set, only if it points there now.
// It is not cut off by a context: half a move does not exist.
func (w *refWriter) move(name, to, old string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := crash.Full("ref move"); err != nil {
		return err
	}
	if w.cmd == nil {
		if err := w.start(); err != nil {
			return fmt.Errorf("git update-ref in %s: %w", w.git.dir, err)
		}
	}
	line := "update " + name + " " + to
	if old != "" {
		line += " " + old
	}
	_, err := io.WriteString(w.in, "start\n"+line+"\ncommit\n")
	for _, want := range []string{"start: ok\n", "commit: ok\n"} {
		if err != nil {
			break
		}
		var got string
		if got, err = w.out.ReadString('\n'); err == nil && got != want {
			err = fmt.Errorf("it answered %q", got)
		}
	}
	if err == nil {
		return nil
	}
	ended := w.stopLocked()
	return &gitError{args: []string{"update-ref"}, dir: w.git.dir, code: 128, stderr: firstSaid(w.said.text(), ended, err)}
}

// firstSaid is what git said, else why there was nothing to read.
func firstSaid(said string, errs ...error) string {
	if said = strings.TrimSpace(said); said != "" {
		return said
	}
	return errors.Join(errs...).Error()
}

func (w *refWriter) start() error {
	cmd := exec.Command("git", "update-ref", "-m", "pipeline", "--stdin")
	cmd.Dir = w.git.dir
	cmd.Env = append(environment(), w.git.env...)
	ownGroup(cmd)
	said := &head{}
	cmd.Stderr = said
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	w.cmd, w.in, w.out, w.said = cmd, in, bufio.NewReader(out), said
	return nil
}

// stop ends the process; a later move would start it again.
func (w *refWriter) stop() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stopLocked()
}

func (w *refWriter) stopLocked() error {
	if w.cmd == nil {
		return nil
	}
	_ = w.in.Close()
	err := w.cmd.Wait()
	w.cmd = nil
	return err
}
