//go:build unix

package proc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func shell(t *testing.T, script string) Command {
	t.Helper()
	return Command{Argv: []string{"sh", "-c", script}, Dir: t.TempDir(), Env: Allowed(os.Environ())}
}

// alive is a pipe with a name. Reading from it ends when no process holds it
// open any more: that is how the tests see that every process of a stage is gone.
func alive(t *testing.T) (path string, opened, gone <-chan struct{}) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "alive")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	open, end := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(end)
		f, err := os.Open(path)
		close(open)
		if err == nil {
			_, _ = io.Copy(io.Discard, f)
			_ = f.Close()
		}
	}()
	t.Cleanup(func() {
		if f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			_ = f.Close() // lets a reader go that nobody has come to
		}
		if !t.Failed() {
			<-end
		}
	})
	return path, open, end
}

// endingWith is a context that ends once that is closed.
func endingWith(t *testing.T, closed <-chan struct{}, cause error) context.Context {
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-closed
		cancel(cause)
	}()
	return ctx
}

func within(t *testing.T, d time.Duration, done <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(d):
		t.Fatalf("%s: not within %s", what, d)
	}
}

func TestGoodEnd(t *testing.T) {
	t.Parallel()
	var out, log bytes.Buffer
	c := shell(t, "cat; pwd; echo log >&2")
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader("in\n"), &out, &log
	end, err := Run(t.Context(), c)
	require.NoError(t, err)
	require.True(t, end.OK())
	require.Equal(t, "in\n"+c.Dir+"\n", out.String())
	require.Equal(t, "log\n", log.String())
	require.Equal(t, "exit status 0", end.String())
	require.Equal(t, "exit status 0", Ending{}.String())
}

func TestExitStatusIsAnEndingNotAnError(t *testing.T) {
	t.Parallel()
	end, err := Run(t.Context(), shell(t, "exit 3"))
	require.NoError(t, err)
	require.False(t, end.OK())
	require.Equal(t, "exit status 3", end.String())
}

func TestDeathBySignalIsNamed(t *testing.T) {
	t.Parallel()
	end, err := Run(t.Context(), shell(t, "kill -KILL $$"))
	require.NoError(t, err)
	require.False(t, end.OK())
	require.Equal(t, "killed by SIGKILL", end.String())
}

func TestUnknownProgramIsAStartError(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"no-such-program-anywhere", "./no-such-program"} {
		_, err := Run(t.Context(), Command{Argv: []string{program}, Dir: t.TempDir()})
		var start *StartError
		require.ErrorAs(t, err, &start)
		require.Equal(t, 1, strings.Count(err.Error(), program), "the program is named once: %v", err)
	}
}

func TestMissingDirectoryIsAStartErrorNamingIt(t *testing.T) {
	t.Parallel()
	_, err := Run(t.Context(), Command{Argv: []string{"sh"}, Dir: "/no/such/dir"})
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "/no/such/dir")
}

func TestEndedContextStartsNothing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := shell(t, "touch started")
	_, err := Run(ctx, c)
	require.ErrorIs(t, err, context.Canceled)
	require.NoFileExists(t, filepath.Join(c.Dir, "started"))
}

func TestEndOfContextLeavesNoProcessOfTheGroup(t *testing.T) {
	t.Parallel()
	path, opened, gone := alive(t)
	ctx := endingWith(t, opened, errors.New("enough"))
	_, err := Run(ctx, shell(t, `exec 3>"`+path+`"; sleep 600 & sleep 600`))
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "enough", "the cause is told")
	within(t, 5*time.Second, gone, "end of the group")
}

func TestGroupIsAskedBeforeItIsKilled(t *testing.T) {
	t.Parallel()
	path, opened, gone := alive(t)
	ctx := endingWith(t, opened, nil)
	c := shell(t, `trap 'echo tidied >tidied; exit 0' TERM; exec 3>"`+path+`"; while :; do sleep 0.01; done`)
	_, err := Run(ctx, c)
	require.ErrorIs(t, err, context.Canceled, "an end we asked for is an interruption, whatever the exit status")
	require.FileExists(t, filepath.Join(c.Dir, "tidied"))
	within(t, 5*time.Second, gone, "end of the group")
}

func TestChildIsAskedTooAndMayTidyUpWhenItsParentIsGone(t *testing.T) {
	t.Parallel()
	path, opened, gone := alive(t)
	ctx := endingWith(t, opened, nil)
	c := shell(t, `(trap 'sleep 0.1; echo tidied >tidied; exit 0' TERM; exec 3>"`+path+`"; while :; do sleep 0.01; done) & wait`)
	_, err := Run(ctx, c)
	require.ErrorIs(t, err, context.Canceled)
	require.FileExists(t, filepath.Join(c.Dir, "tidied"))
	within(t, 5*time.Second, gone, "end of the group")
}

func TestGroupThatIgnoresTheRequestIsKilled(t *testing.T) {
	t.Parallel()
	path, opened, gone := alive(t)
	ctx := endingWith(t, opened, nil)
	c := shell(t, `trap '' TERM; exec 3>"`+path+`"; sleep 600 & while :; do sleep 600; done`)
	c.Grace = 50 * time.Millisecond
	_, err := Run(ctx, c)
	require.ErrorIs(t, err, context.Canceled)
	within(t, 5*time.Second, gone, "end of the group")
}

func TestChildThatHoldsTheOutputDoesNotHoldTheStage(t *testing.T) {
	t.Parallel()
	path, _, gone := alive(t)
	var out bytes.Buffer
	c := shell(t, `exec 3>"`+path+`"; trap '' TERM; sleep 600 & echo done`)
	c.Stdout, c.Drain = &out, 50*time.Millisecond
	end, err := Run(t.Context(), c)
	require.NoError(t, err)
	require.True(t, end.OK())
	require.Equal(t, "done\n", out.String())
	within(t, 5*time.Second, gone, "end of the child")
}

func TestChildThatHoldsTheInputDoesNotHoldTheStage(t *testing.T) {
	t.Parallel()
	c := shell(t, `sleep 600 <&0 >/dev/null 2>&1 & exit 0`)
	c.Stdin, c.Drain = strings.NewReader(strings.Repeat("x", 1<<20)), 50*time.Millisecond
	end, err := Run(t.Context(), c)
	require.NoError(t, err)
	require.True(t, end.OK())
}

func TestChildMayFinishItsOutput(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c := shell(t, `(sleep 0.1; echo late) & echo early`)
	c.Stdout = &out
	_, err := Run(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, "early\nlate\n", out.String())
}

func TestProcessThatDoesNotReadItsInputEndsWell(t *testing.T) {
	t.Parallel()
	c := shell(t, "exit 0")
	c.Stdin = strings.NewReader(strings.Repeat("x", 1<<20))
	end, err := Run(t.Context(), c)
	require.NoError(t, err)
	require.True(t, end.OK())
}

func TestEnvironmentIsWhatWasGiven(t *testing.T) {
	t.Setenv("PROC_TEST_SECRET", "secret")
	var out bytes.Buffer
	_, err := Run(t.Context(), Command{Argv: []string{"env"}, Dir: t.TempDir(), Stdout: &out})
	require.NoError(t, err)
	require.Empty(t, out.String(), "no environment is none, not ours")
}

func TestStageDiesWithUs(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // there is no such signal elsewhere
	}
	t.Parallel()
	path, opened, gone := alive(t)
	self, err := os.Executable()
	require.NoError(t, err)
	parent := exec.Command(self)
	parent.Env = append(os.Environ(), parentEnv+`=exec 3>"`+path+`"; exec sleep 600`)
	require.NoError(t, parent.Start())
	within(t, 20*time.Second, opened, "start of the stage")
	require.NoError(t, parent.Process.Kill())
	_ = parent.Wait()
	within(t, 5*time.Second, gone, "end of the stage")
}
