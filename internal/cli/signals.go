package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// WithSignals is a context that ends with the first SIGINT, SIGTERM or SIGHUP:
// stages are then asked to end, and what was finished is recorded. The second
// ends the process at once. The function gives the signals back.
func WithSignals(parent context.Context, p *Process) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	got := make(chan os.Signal, 2)
	signal.Notify(got, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	over := make(chan struct{})
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		cause := error(nil)
		for {
			select {
			case s := <-got:
				if cause != nil {
					os.Exit(exitCode(cause))
				}
				if cause = errInterrupt; s != os.Interrupt {
					cause = errTerminate
				}
				fmt.Fprintln(p.Stderr, "pipeline: stopping; stages are asked to end (once more to kill them)")
				cancel(cause)
			case <-over:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(got)
		close(over)
		<-gone
		cancel(nil)
	}
}
