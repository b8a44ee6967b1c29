package endtoend

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDiskFullAtEveryWriteEndsAsIfUndisturbed(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios() {
		s.run(emptyPlace(t))
		for _, at := range spread(stops(s.points, true), rounds(1, 20)) {
			t.Run(fmt.Sprintf("%s/%s", s.name, at), func(t *testing.T) {
				t.Parallel()
				j := s.prepare(emptyPlace(t))
				j.toTheEnd(j.fullAt(at))
				require.Equal(t, s.undisturbed, j.end())
			})
		}
	}
}
