package progress_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/progress"
)

// gateCase is a want.json beside a progress.md.
type gateCase struct {
	Pass   bool
	Reason *string // null: any
	Files  []progress.Change
}

func TestGateDecidesAsItsCasesSay(t *testing.T) {
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
			var c gateCase
			require.NoError(t, json.Unmarshal(b, &c))

			var r progress.Report
			file, err := os.ReadFile(filepath.Join(folder, "progress.md"))
			if !errors.Is(err, fs.ErrNotExist) {
				require.NoError(t, err)
				r = progress.Parse(file)
			}
			reason, ok := r.Gate()
			require.Equal(t, c.Pass, ok)
			if c.Reason != nil {
				require.Equal(t, *c.Reason, reason)
			}
			require.Equal(t, ok, reason == "")
			require.Len(t, r.Files, len(c.Files))
			for i, f := range c.Files {
				require.Equal(t, f.Path, r.Files[i].Path)
				if f.Action != "" {
					require.Equal(t, f.Action, r.Files[i].Action)
				}
			}
		})
	}
}
