//go:build crashpoints

package crash_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/internal/crash"
)

const child = "CRASH_TEST_CHILD"

// passPoints passes three points in a process of its own and returns how that
// ended and what it had passed.
func passPoints(t *testing.T, variable string) (*os.ProcessState, string) {
	list := filepath.Join(t.TempDir(), "list")
	cmd := exec.Command(os.Args[0], "-test.run", "^TestChild$")
	cmd.Env = append(os.Environ(), child+"=1", variable, "PIPELINE_CRASH_LIST="+list)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil {
		require.ErrorAs(t, err, &exit, "%s", out)
	}
	passed, err := os.ReadFile(list)
	require.NoError(t, err)
	return cmd.ProcessState, string(passed)
}

func TestChild(t *testing.T) {
	if os.Getenv(child) == "" {
		return
	}
	for range 2 {
		func() {
			defer crash.Around("a", "file-7.xml")()
			require.NoError(t, crash.Full("disk"))
		}()
	}
}

func TestProcessIsKilledAtTheNamedPassing(t *testing.T) {
	t.Parallel()
	state, passed := passPoints(t, "PIPELINE_CRASH_AT=after a file:1")
	require.Equal(t, syscall.SIGKILL, state.Sys().(syscall.WaitStatus).Signal())
	require.Equal(t, "before a file\nfull disk\nafter a file\n", passed)

	state, passed = passPoints(t, "PIPELINE_CRASH_AT=before a file:2")
	require.Equal(t, syscall.SIGKILL, state.Sys().(syscall.WaitStatus).Signal())
	require.Equal(t, "before a file\nfull disk\nafter a file\nbefore a file\n", passed)
}

func TestDiskIsFullAtTheNamedPassing(t *testing.T) {
	t.Parallel()
	state, passed := passPoints(t, "PIPELINE_CRASH_FAIL=full disk:2")
	require.Equal(t, 1, state.ExitCode())
	require.Equal(t, "before a file\nfull disk\nafter a file\nbefore a file\nfull disk\nafter a file\n", passed)
}

func TestUndisturbedProcessPassesAll(t *testing.T) {
	t.Parallel()
	state, _ := passPoints(t, "PIPELINE_CRASH_AT=never:1")
	require.Zero(t, state.ExitCode())
}
