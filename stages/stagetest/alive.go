//go:build unix

package stagetest

import (
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
)

// life tells whether anything of a hanging stage is alive: everything of it
// holds a named pipe open, and the system ends the pipe with the last of it.
type life struct{ started, over chan struct{} }

// watch makes the pipe that req names in AliveVar.
func watch(t *testing.T, req stages.Request) life {
	t.Helper()
	path := Lookup(req, AliveVar)
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	l := life{make(chan struct{}), make(chan struct{})}
	go func() {
		defer close(l.over)
		f, err := os.Open(path) // returns when somebody opens it for writing
		close(l.started)
		if err == nil {
			_, _ = io.Copy(io.Discard, f)
			_ = f.Close()
		}
	}()
	t.Cleanup(func() {
		l.release(path)
		if !t.Failed() {
			<-l.over
		}
	})
	return l
}

// release lets the reader go if no stage has ever come.
func (l life) release(path string) {
	if f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		_ = f.Close()
	}
}

func (l life) waitForStart(t *testing.T) {
	t.Helper()
	select {
	case <-l.started:
	case <-time.After(prompt):
		t.Fatalf("the stage has not opened $%s within %s", AliveVar, prompt)
	}
}

func (l life) requireOver(t *testing.T) {
	t.Helper()
	select {
	case <-l.started:
	default:
		return // it was cut off before it could open the pipe
	}
	select {
	case <-l.over:
	case <-time.After(prompt):
		t.Fatal("the stage has ended, but something of it is still running")
	}
}
