package proc

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestShortOutputIsKeptWhole(t *testing.T) {
	t.Parallel()
	c := Capture{Limit: 8}
	for range 4 {
		_, _ = c.Write([]byte("ab"))
	}
	require.Equal(t, "abababab", string(c.Bytes()))
}

func TestLongOutputIsCutInTheMiddle(t *testing.T) {
	t.Parallel()
	c := Capture{Limit: 200}
	for i := range 1000 {
		fmt.Fprintf(&c, "line %d\n", i)
	}
	kept := string(c.Bytes())
	require.Len(t, kept, 200)
	require.True(t, strings.HasPrefix(kept, "line 0\nline 1\n"))
	require.True(t, strings.HasSuffix(kept, "line 998\nline 999\n"))
	require.Regexp(t, `\n\[\.\.\. \d+ bytes left out \.\.\.\]\n`, kept)
	require.EqualValues(t, 8890, c.Total())
	require.Equal(t, kept, string(c.Bytes()), "asking twice changes nothing")
}

func TestZeroCaptureKeepsNothing(t *testing.T) {
	t.Parallel()
	var c Capture
	n, err := c.Write([]byte("lost"))
	require.NoError(t, err)
	require.Equal(t, 4, n)
	require.Empty(t, c.Bytes())
}

func TestCaptureKeepsHeadAndTailWhateverTheWrites(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := Capture{Limit: rapid.IntRange(0, 300).Draw(t, "limit")}
		var all []byte
		for _, p := range rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 400), 0, 12).Draw(t, "writes") {
			n, err := c.Write(p)
			require.NoError(t, err)
			require.Equal(t, len(p), n)
			all = append(all, p...)
			if rapid.Bool().Draw(t, "look") {
				c.Bytes()
			}
		}
		kept := c.Bytes()
		require.Len(t, kept, min(c.Limit, len(all)))
		if len(all) <= c.Limit {
			require.Equal(t, string(all), string(kept))
			return
		}
		head := c.head()
		require.Equal(t, string(all[:head]), string(kept[:head]))
		mark := bytes.LastIndex(kept, []byte("left out ...]\n"))
		if mark < 0 { // no room for the whole mark
			return
		}
		tail := kept[mark+len("left out ...]\n"):]
		require.True(t, bytes.HasSuffix(all, tail))
	})
}

func BenchmarkCapture(b *testing.B) {
	piece := bytes.Repeat([]byte("0123456789abcde\n"), 2048)
	c := Capture{Limit: 4 << 20}
	b.SetBytes(int64(len(piece)))
	for b.Loop() {
		_, _ = c.Write(piece)
	}
}
