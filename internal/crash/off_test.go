//go:build !crashpoints

package crash_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/internal/crash"
)

// A stage's name stands for the words that are only known as the program runs.
func TestPointsCostNothingInTheNormalBuild(t *testing.T) {
	name := t.Name()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		defer crash.Around("journal append", name)()
		crash.At("before", name)
		if err := crash.Full("journal", name); err != nil {
			t.Error(err)
		}
	}))
}
