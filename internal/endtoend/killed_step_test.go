package endtoend

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the list of known points anew")

// knownPoints are the points that the scenarios pass; one a line.
const knownPoints = "testdata/points.txt"

// stops are the first, the middle and the last passing of each point, of those
// where a disk may be full or of the others.
func stops(points map[string]int, full bool) []stop {
	var all []stop
	for _, name := range slices.Sorted(maps.Keys(points)) {
		if strings.HasPrefix(name, "full ") != full {
			continue
		}
		passes := []int{1, (points[name] + 1) / 2, points[name]}
		for _, pass := range slices.Compact(passes) {
			all = append(all, stop{name, pass})
		}
	}
	return all
}

// spread takes n of them, evenly; the seed says where it begins.
func spread[T any](all []T, n int) []T {
	if n >= len(all) {
		return all
	}
	out := make([]T, n)
	for i := range out {
		out[i] = all[(i*len(all)/n+int(*seed))%len(all)]
	}
	return out
}

// TestKilledAtEveryStepEndsAsIfUndisturbed kills every second one again, at the
// same point, when it is gone on with.
func TestKilledAtEveryStepEndsAsIfUndisturbed(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, s := range scenarios() {
		s.run(emptyPlace(t))
		for name := range s.points {
			known[name] = true
		}
		for i, at := range spread(stops(s.points, false), rounds(4, 80)) {
			t.Run(fmt.Sprintf("%s/%s", s.name, at), func(t *testing.T) {
				t.Parallel()
				j := s.prepare(emptyPlace(t))
				if i%2 == 0 {
					j.toTheEnd(j.killedAt(at))
				} else {
					j.toTheEnd(j.killedAt(at), j.killedAt(stop{at.point, 1}))
				}
				require.Equal(t, s.undisturbed, j.end())
			})
		}
	}
	// How far a run came before it was cut off says whether there is one to give.
	maps.DeleteFunc(known, func(name string, _ bool) bool { return strings.HasSuffix(name, "journal append warning") })
	names := strings.Join(slices.Sorted(maps.Keys(known)), "\n") + "\n"
	if *update {
		require.NoError(t, os.WriteFile(knownPoints, []byte(names), 0o644))
	}
	wanted, err := os.ReadFile(knownPoints)
	require.NoError(t, err)
	require.Equal(t, string(wanted), names, "%s: -update writes it anew", knownPoints)
}
