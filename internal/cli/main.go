package cli

import (
	"context"
	"errors"
)

// Main runs one command line and returns its exit code.
func Main(ctx context.Context, p *Process) int {
	root := rootCommand(p)
	root.SetArgs(p.Args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	if cause := context.Cause(ctx); err != nil && asSignal(cause) && !errors.Is(err, cause) {
		err = faultf(cause, "%v", cause) // what it made of the rest is beside the point
	}
	switch f := (*fault)(nil); {
	case err == nil:
	case !errors.As(err, &f):
		err = faultf(errUsage, "%v", err).then("pipeline doctor") // the machine's doing
	case f.kind == errIntegrity && f.next == "":
		_ = f.then("what has landed stays done; `pipeline run --session NEW` goes on without this record")
	}
	if err != nil {
		report(p.Stderr, p.palette(p.Stderr), err)
	}
	return exitCode(err)
}

// asSignal tells whether a context ended by a signal.
func asSignal(cause error) bool {
	return errors.Is(cause, errInterrupt) || errors.Is(cause, errTerminate)
}
