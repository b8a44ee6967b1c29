package cli

import (
	"context"
	"errors"
	"time"
)

// limited cuts a run off, as a signal would, once it has taken so long; 0 is no
// limit. It is no deadline: stages would take that for one of their own.
func limited(parent context.Context, limit time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	if limit <= 0 {
		return ctx, func() { cancel(nil) }
	}
	timer := time.AfterFunc(limit, func() { cancel(errTimeout) })
	return ctx, func() {
		timer.Stop()
		cancel(nil)
	}
}

// overtime makes of an error that comes from nothing but the end of the time
// what it is. A fault has a reason of its own.
func overtime(ctx context.Context, err error) error {
	if f := (*fault)(nil); errors.As(err, &f) || !errors.Is(context.Cause(ctx), errTimeout) {
		return err
	}
	return faultf(errTimeout, "%v before the run had begun: %v", errTimeout, err).then("allow more with --run-timeout")
}
