package cli

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEachKindOfEndHasItsExitCode(t *testing.T) {
	t.Parallel()
	for want, kinds := range map[int][]error{
		0:   {nil},
		1:   {errFailed, errIntegrity},
		2:   {errUsage, errors.New("anything that nobody has named")},
		3:   {errAmbiguous},
		4:   {errNothing},
		5:   {errUnparsable},
		6:   {errApproval},
		7:   {errBudget},
		8:   {errBlocked},
		9:   {errLocked},
		10:  {errRateLimited},
		124: {errTimeout},
		130: {errInterrupt},
		143: {errTerminate},
	} {
		for _, kind := range kinds {
			require.Equal(t, want, exitCode(kind), "%v", kind)
			if kind != nil {
				require.Equal(t, want, exitCode(fmt.Errorf("TASK-03/builder#1: %w", kind)), "wrapped: %v", kind)
			}
		}
	}
}

func TestTheGraverExitCodeWins(t *testing.T) {
	t.Parallel()
	order := []error{errInterrupt, errUsage, errFailed, errTimeout, errBlocked, errBudget, errRateLimited, errApproval}
	for i := range order[1:] {
		require.Equal(t, exitCode(order[i]), exitCode(errors.Join(order[i+1], order[i])))
	}
}
