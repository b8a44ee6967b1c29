package dispatch_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/window"
)

// resultCase is a want.json beside an output.txt.
type resultCase struct {
	Valid   *bool // null: either is right
	Status  dispatch.Status
	Handoff *window.Handoff
	As      *struct{ Task, Agent string }
	Never   []string
}

func TestOutputsOfStagesReadAsTheirCasesSay(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob("testdata/cases/*/want.json")
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, want := range folders {
		folder := filepath.Dir(want)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(want)
			require.NoError(t, err)
			var c resultCase
			require.NoError(t, json.Unmarshal(b, &c))
			output, err := os.ReadFile(filepath.Join(folder, "output.txt"))
			require.NoError(t, err)

			as := dispatch.Expect{Work: "WORK-01", Task: "TASK-03", Agent: dispatch.Builder}
			if c.As != nil {
				as.Agent = dispatch.Stage(c.As.Agent)
			}
			got, err := dispatch.ParseResult(output, as)
			if c.Valid != nil && !*c.Valid {
				require.ErrorIs(t, err, dispatch.ErrInvalid)
				require.NotEqual(t, dispatch.Pass, got.Status)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.Status, got.Status)
			require.Equal(t, sayingNone(c.Handoff), sayingNone(got.Handoff))
			rendered, err := json.Marshal(got)
			require.NoError(t, err)
			for _, never := range c.Never {
				require.NotContains(t, string(rendered), never)
			}
		})
	}
}

// sayingNone spells an empty Incomplete as the cases compare it.
func sayingNone(h *window.Handoff) *window.Handoff {
	if h == nil {
		return nil
	}
	out := *h
	if strings.TrimSpace(out.Incomplete) == "" {
		out.Incomplete = "None"
	}
	return &out
}
