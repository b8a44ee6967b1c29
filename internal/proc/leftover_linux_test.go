package proc

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChildrenThatAKilledRunLeftAreEndedAndNobodyElse(t *testing.T) {
	t.Parallel()
	mark := "PROC_TEST_RUN=" + filepath.Join(t.TempDir(), "one")
	start := func(env string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", `sh -c 'trap "" TERM; echo ready; sleep 600' & wait`)
		cmd.Env = append(os.Environ(), env)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			_ = cmd.Wait()
		})
		_, err = bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		return cmd
	}
	left, other := start(mark), start(mark+"-other")
	require.NoError(t, left.Process.Kill(), "the leader dies with the run")

	n, err := EndLeftovers(mark)

	require.NoError(t, err)
	require.GreaterOrEqual(t, n, 1)
	require.Empty(t, with(mark, nil))
	require.NotEmpty(t, with(mark+"-other", nil), "another run's processes are left alone")
	require.NoError(t, other.Process.Kill())
}
