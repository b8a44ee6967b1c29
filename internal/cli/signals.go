package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/taskpipeline/pipeline/internal/proc"
)

// WithSignals is a context that ends with the first SIGINT, SIGTERM or SIGHUP:
// stages are then asked to end, and what was finished is recorded. The second
// kills them, the third ends the process where it stands. The function gives
// the signals back.
func WithSignals(parent context.Context, p *Process) (context.Context, func()) {
	kill := make(chan struct{})
	ctx, cancel := context.WithCancelCause(proc.WithKill(parent, kill))
	got := make(chan os.Signal, 3)
	signal.Notify(got, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	over, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		var cause error
		for n := 1; ; n++ {
			var s os.Signal
			select {
			case s = <-got:
			case <-over:
				return
			}
			switch n {
			case 1:
				if cause = errInterrupt; s != os.Interrupt {
					cause = errTerminate
				}
				fmt.Fprintln(p.Stderr, "pipeline: stopping; stages are asked to end (once more kills them)")
				cancel(cause)
			case 2:
				close(kill)
			default:
				os.Exit(exitCode(cause))
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
