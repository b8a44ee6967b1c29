package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

const (
	defaultGrace = 10 * time.Second
	defaultDrain = 2 * time.Second
)

// Command is a process to run. Argv and Dir are required.
type Command struct {
	Argv  []string // Argv[0] is a path, or a name looked up in our PATH
	Dir   string   // the working directory
	Env   []string // the whole environment, KEY=value; the last of a key counts
	Stdin io.Reader

	// What the process prints is written here as it arrives. If both are the
	// same writer it is never used by two goroutines at once, and the order
	// in which the process wrote is kept. nil discards.
	Stdout, Stderr io.Writer

	// Mark is an entry of Env that no process has but this one and those it
	// starts. On Linux it finds those that have left the group; "" leaves them.
	Mark string

	Grace time.Duration // between SIGTERM and SIGKILL; 0 means 10 s
	Drain time.Duration // for children that outlive the process to finish; 0 means 2 s
}

// Run runs c and waits for its end. A non-zero exit is an Ending, not an error.
//
// The error is a *StartError if the process could not be started, and wraps
// ctx.Err() and its cause if ctx ended before the process did. In both cases,
// as in every other, no process of the group is alive when Run returns.
func Run(ctx context.Context, c Command) (Ending, error) {
	if ctx.Err() != nil {
		return Ending{}, stopped(ctx)
	}
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, c.Env, c.Stdin
	cmd.Stdout, cmd.Stderr = c.Stdout, c.Stderr
	cmd.WaitDelay = orDefault(c.Drain, defaultDrain)
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would hand on our whole environment
	}

	if c.Mark != "" {
		adopt()
		defer endStrays(c.Mark)
	}
	// The kernel ties a process's death signal to the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	leadGroup(cmd)
	if err := start(cmd); err != nil {
		return Ending{}, startError(c.Argv[0], c.Dir, err)
	}

	cut := false
	ended := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { cut = stopGroup(ctx, cmd, orDefault(c.Grace, defaultGrace), ended) })
	err := cmd.Wait()
	close(ended)
	watch.Wait()
	collected(cmd)
	// The process is gone, its group may not be. The number cannot have been
	// given to a new process as long as the group has a member.
	killGroup(cmd)

	if cut {
		return Ending{}, stopped(ctx)
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return Ending{}, fmt.Errorf("copy the output of %s: %w", c.Argv[0], err)
	}
	return Ending{state: cmd.ProcessState}, nil
}

// stopGroup ends the group of cmd when ctx ends, unless ended is closed first.
// It reports whether it had to.
func stopGroup(ctx context.Context, cmd *exec.Cmd, grace time.Duration, ended <-chan struct{}) bool {
	select {
	case <-ended:
		return false
	case <-ctx.Done():
	}
	select {
	case <-ended: // both happened: what the process said by itself counts
		return false
	default:
	}
	terminateGroup(cmd)
	late := time.NewTimer(grace)
	defer late.Stop()
	kill := killOf(ctx)
	select {
	case <-ended:
		awaitGroup(cmd, cmd.WaitDelay, kill)
	case <-late.C:
		killGroup(cmd)
	case <-kill:
		killGroup(cmd)
	}
	return true
}

// awaitGroup waits until nobody is left in the group, at most so long. Its
// members have been asked to end and may be tidying up. Nothing tells us of the
// end of somebody else's child, so it has to ask again and again.
func awaitGroup(cmd *exec.Cmd, most time.Duration, kill <-chan struct{}) {
	over := time.NewTimer(most)
	defer over.Stop()
	ask := time.NewTicker(5 * time.Millisecond)
	defer ask.Stop()
	for groupLives(cmd) {
		select {
		case <-over.C:
			return
		case <-kill:
			return
		case <-ask.C:
		}
	}
}

// stopped is the error of a process that was cut off because ctx ended.
func stopped(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if cause == nil || errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d <= 0 {
		return otherwise
	}
	return d
}
