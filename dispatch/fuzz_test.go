package dispatch_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
)

// addOutputs seeds a fuzz test with the outputs of the cases.
func addOutputs(f *testing.F) {
	outputs, err := filepath.Glob("testdata/cases/*/output.txt")
	require.NoError(f, err)
	for _, name := range outputs {
		b, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(b)
	}
}

func FuzzParseResult(f *testing.F) {
	addOutputs(f)
	f.Fuzz(func(t *testing.T, output []byte) {
		r, err := dispatch.ParseResult(output, builder03)
		if err != nil {
			require.ErrorIs(t, err, dispatch.ErrInvalid)
			require.Zero(t, r)
			return
		}
		require.EqualValues(t, "TASK-03", r.Task)
		require.Contains(t, []dispatch.Status{dispatch.Pass, dispatch.Fail}, r.Status)

		// What was accepted can be written, and reads as itself from then on.
		var once, twice bytes.Buffer
		require.NoError(t, r.Encode(&once))
		again, err := dispatch.ParseResult(once.Bytes(), builder03)
		require.NoError(t, err, "%q", once.Bytes())
		require.Equal(t, r.Status, again.Status)
		require.NoError(t, again.Encode(&twice))
		require.Equal(t, once.String(), twice.String())
	})
}

func FuzzParseDispatch(f *testing.F) {
	addOutputs(f)
	f.Add([]byte(`<dispatch to="builder" task="TASK-02" attempt="1"><previous-results><context-handoff from="prev-task" task="TASK-01" detail-level="SUMMARY"><what>x</what></context-handoff></previous-results></dispatch>`))
	f.Fuzz(func(t *testing.T, message []byte) {
		d, err := dispatch.Parse(message)
		if err != nil {
			return
		}
		var once, twice bytes.Buffer
		require.NoError(t, d.Encode(&once))
		again, err := dispatch.Parse(once.Bytes())
		require.NoError(t, err, "%q", once.Bytes())
		require.NoError(t, again.Encode(&twice))
		require.Equal(t, once.String(), twice.String())
	})
}
