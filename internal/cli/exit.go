package cli

import (
	"errors"
)

// What a command can end with, apart from success. Every error that reaches
// Main either is one of these or counts as errUsage: the state of the machine
// or of the project kept the command from being done.
var (
	errFailed      = errors.New("a TASK failed")
	errIntegrity   = errors.New("the record does not hold")
	errUsage       = errors.New("usage, config, graph or environment")
	errAmbiguous   = errors.New("more than one matches")
	errNothing     = errors.New("nothing matches")
	errUnparsable  = errors.New("input cannot be read")
	errApproval    = errors.New("waiting for approval")
	errBudget      = errors.New("budget reached")
	errBlocked     = errors.New("landing blocked by uncommitted changes")
	errLocked      = errors.New("another run holds the lock")
	errRateLimited = errors.New("rate limited")
	errTimeout     = errors.New("the run's time is up")
	errInterrupt   = errors.New("interrupted")
	errTerminate   = errors.New("terminated")
)

// exitCode is the only place where an exit code is chosen. Where several could
// apply, the order of the cases decides: signals, then usage, then a failure,
// then what only keeps the run from going on.
func exitCode(err error) int {
	is := func(target error) bool { return errors.Is(err, target) }
	switch {
	case err == nil:
		return 0
	case is(errInterrupt):
		return 130
	case is(errTerminate):
		return 143
	case is(errUsage):
		return 2
	case is(errFailed), is(errIntegrity):
		return 1
	case is(errTimeout):
		return 124
	case is(errBlocked):
		return 8
	case is(errBudget):
		return 7
	case is(errRateLimited):
		return 10
	case is(errApproval):
		return 6
	case is(errAmbiguous):
		return 3
	case is(errNothing):
		return 4
	case is(errUnparsable):
		return 5
	case is(errLocked):
		return 9
	}
	return 2
}
