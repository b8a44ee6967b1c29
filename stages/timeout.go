package stages

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"github.com/taskpipeline/pipeline/dispatch"
)

// Timeout is e with a limit on the wall-clock time of one stage. A stage that
// is cut off is a FAIL, "timed out after 30m0s", not an interruption. A TASK
// that names a timeout of its own gets that instead of d; 0 means no limit.
func Timeout(e Executor, d time.Duration) Executor {
	return decorated{inner: e, Func: func(ctx context.Context, req Request) (Response, error) {
		limit := cmp.Or(req.Spec.Timeout, d)
		if limit <= 0 {
			return e.Execute(ctx, req)
		}
		late := Faultf("timed out after %s", limit)
		within, cancel := context.WithTimeoutCause(ctx, limit, late)
		defer cancel()
		resp, err := e.Execute(within, req)
		return failIfCut(within, late, resp, err)
	}}
}

// IdleTimeout is e with a limit on the time without any output to the
// request's Sink. A stage that is cut off is a FAIL, "no output for 10m0s";
// 0 means no limit.
func IdleTimeout(e Executor, d time.Duration) Executor {
	if d <= 0 {
		return e
	}
	return decorated{inner: e, Func: func(ctx context.Context, req Request) (Response, error) {
		silent := Faultf("no output for %s", d)
		within, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		timer := time.AfterFunc(d, func() { cancel(silent) })
		defer timer.Stop()
		req.Sink = heardSink{req.Sink, func() { timer.Reset(d) }}
		resp, err := e.Execute(within, req)
		return failIfCut(within, silent, resp, err)
	}}
}

// failIfCut makes a FAIL of an error that fault, the cause why ctx ended, has
// brought about. What the executor put beside its error is kept: what it had
// used, and the failure details it already knew.
func failIfCut(ctx context.Context, fault *Fault, resp Response, err error) (Response, error) {
	if err == nil || context.Cause(ctx) != error(fault) || !errors.Is(err, ctx.Err()) {
		return resp, err
	}
	resp.Status, resp.Summary = dispatch.Fail, fault.Reason
	resp.Printed, resp.Wait = nil, nil
	return resp, nil
}

// heardSink is a Sink that tells when something is written to its Output.
type heardSink struct {
	Sink
	heard func()
}

func (s heardSink) Output() io.Writer { return heardWriter{s.Sink.Output(), s.heard} }

type heardWriter struct {
	io.Writer
	heard func()
}

func (w heardWriter) Write(p []byte) (int, error) {
	w.heard()
	return w.Writer.Write(p)
}
