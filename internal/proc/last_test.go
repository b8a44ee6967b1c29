package proc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheReasonComesWithTheEndOfWhatWasPrinted(t *testing.T) {
	t.Parallel()
	require.Equal(t, "exit status 1. It printed nothing.", WithLast("exit status 1", []byte("\n")))
	require.Equal(t, "exit status 1. The last it printed:\nwant 3", WithLast("exit status 1", []byte("want 3\n")))
	long := WithLast("exit status 1", []byte(strings.Repeat("line\n", 1000)))
	require.Contains(t, long, Cut)
	require.Equal(t, lastLines, strings.Count(long, "line"))
}
