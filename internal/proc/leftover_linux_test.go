package proc

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

func TestProcessThatLeftItsGroupEndsWithItsCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mark := "PROC_TEST_STRAY=" + dir
	run := func(mark string) string {
		pid := filepath.Join(t.TempDir(), "pid")
		_, err := Run(t.Context(), Command{
			// It stays until it is killed: nobody can say how long that takes.
			Argv: []string{"sh", "-c", `setsid sh -c 'setsid sh -c "echo \$\$ > $0.new; mv $0.new $0; sleep 600" "$0" & sleep 600' "$0" > /dev/null 2>&1 < /dev/null & while ! test -e "$0"; do sleep 0.01; done`, pid},
			Dir:  dir, Env: append(os.Environ(), "PROC_TEST_STRAY="+dir), Mark: mark,
		})
		require.NoError(t, err)
		b, err := os.ReadFile(pid)
		require.NoError(t, err)
		return "/proc/" + strings.TrimSpace(string(b))
	}
	require.NoDirExists(t, run(mark))

	left := run("")
	require.DirExists(t, left, "without a mark nobody is looked for")
	n, err := EndLeftovers(mark)
	require.NoError(t, err)
	require.Positive(t, n)
}
