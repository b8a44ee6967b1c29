package endtoend

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// signalledAfter runs the program and sends it a signal once the time is up.
func (p *place) signalledAfter(after time.Duration, s os.Signal) doing {
	return func(args ...string) result {
		p.Helper()
		var out, said bytes.Buffer
		cmd := p.start(program, args...)
		cmd.Stdout, cmd.Stderr = &out, &said
		require.NoError(p, cmd.Start())
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Signal(s) })
		defer timer.Stop()
		_ = cmd.Wait() // the code says how it ended
		return result{cmd.ProcessState.ExitCode(), out.String(), said.String()}
	}
}

// disturbAtRandomTimes sends a signal to up to four processes in a row of each
// of n journeys.
func disturbAtRandomTimes(t *testing.T, s os.Signal, n int) {
	all := scenarios()
	for _, s := range all {
		s.run(emptyPlace(t))
	}
	for i := range n {
		at := *seed*uint64(n) + uint64(i)
		scenario := all[i%len(all)]
		t.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(scenario.name, " ", "-"), at), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(at, 0))
			j := scenario.prepare(emptyPlace(t))
			var disturb []doing
			for range 1 + random.IntN(4) {
				disturb = append(disturb, j.signalledAfter(time.Duration(random.IntN(400))*time.Millisecond, s))
			}
			j.toTheEnd(disturb...)
			require.Equal(t, scenario.undisturbed, j.end())
		})
	}
}

func TestKilledAtRandomTimesEndsAsIfUndisturbed(t *testing.T) {
	t.Parallel()
	disturbAtRandomTimes(t, syscall.SIGKILL, rounds(6, 200))
}

func TestTerminatedAtRandomTimesEndsAsIfUndisturbed(t *testing.T) {
	t.Parallel()
	disturbAtRandomTimes(t, syscall.SIGTERM, rounds(6, 100))
}
