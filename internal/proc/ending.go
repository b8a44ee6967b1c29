package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// Ending tells how a process ended. The zero value is a good end.
type Ending struct{ state *os.ProcessState }

// OK reports whether the process ended with status 0.
func (e Ending) OK() bool { return e.state == nil || e.state.Success() }

// String prints "exit status 3" or "killed by SIGKILL".
func (e Ending) String() string {
	if e.state == nil {
		return "exit status 0"
	}
	if status, ok := e.state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return "killed by " + signalName(status.Signal())
	}
	return e.state.String()
}

// StartError says that a program could not be started at all.
type StartError struct {
	Program string
	Err     error
}

func (e *StartError) Error() string { return fmt.Sprintf("start %s: %s", e.Program, e.Err) }

// Unwrap returns the reason.
func (e *StartError) Unwrap() error { return e.Err }

// startError finds out what err, from starting a program in dir, is about.
func startError(program, dir string, err error) *StartError {
	if _, gone := os.Stat(dir); dir != "" && gone != nil {
		return &StartError{program, gone} // the system only says that something does not exist
	}
	// The layers that name the program once more go.
	if e := (*exec.Error)(nil); errors.As(err, &e) {
		err = e.Err
	}
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return &StartError{program, err}
}

// Code is the exit status; of a process that was killed by a signal, 128 and
// the number of the signal, as a shell has it.
func (e Ending) Code() int {
	if e.state == nil {
		return 0
	}
	if status, ok := e.state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return e.state.ExitCode()
}
