package session

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestASecondRunIsToldWhoHoldsTheLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := Acquire(dir, "first", start)
	require.NoError(t, err)
	_, err = Acquire(dir, "second", start)
	var held *LockedError
	require.ErrorAs(t, err, &held)
	host, err2 := os.Hostname()
	require.NoError(t, err2)
	require.Equal(t, Holder{PID: os.Getpid(), Host: host, Started: start, Session: "first"}, held.Holder)
	require.ErrorContains(t, err, "2026-03-12T10:35:00Z")
	require.NoError(t, lock.Release())
}

func TestAReleasedLockLeavesNoFileAndCanBeTaken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 2 {
		lock, err := Acquire(dir, "s", start)
		require.NoError(t, err)
		require.FileExists(t, LockPath(dir))
		require.NoError(t, lock.Release())
		require.NoFileExists(t, LockPath(dir))
	}
}

func TestTheLockOfADeadRunIsTakenOver(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), self)
	child.Env = append(os.Environ(), holdVariable+"="+dir)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "held <nil>\n", line)

	holder, ok, err := Held(dir)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, child.Process.Pid, holder.PID)
	require.Equal(t, "dead", holder.Session)

	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait())
	require.FileExists(t, LockPath(dir))
	_, ok, err = Held(dir)
	require.NoError(t, err)
	require.False(t, ok, "a dead run counts as alive")

	lock, err := Acquire(dir, "next", start)
	require.NoError(t, err)
	holder, ok, err = Held(dir)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "next", holder.Session)
	require.NoError(t, lock.Release())
}

func TestAskingWhoHoldsTheLockMakesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, ok, err := Held(dir)
	require.NoError(t, err)
	require.False(t, ok)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestALeftLockWhosePidLivesAgainIsNotHeld(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Dir(LockPath(dir)), 0o755))
	for _, left := range []string{`{"pid":1,"host":"` + hostname(t) + `","session":"old"}`, "", "garbage", `{"pid":1,"host":"elsewhere"}`} {
		write(t, LockPath(dir), left)
		_, ok, err := Held(dir)
		require.NoError(t, err)
		require.False(t, ok, left)
	}
}

func hostname(t *testing.T) string {
	t.Helper()
	host, err := os.Hostname()
	require.NoError(t, err)
	return host
}

func TestNeverTwoHoldersWhileLocksComeAndGo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var (
		wg      sync.WaitGroup
		holders atomic.Int32
		taken   atomic.Int32
	)
	for range 8 {
		wg.Go(func() {
			for range 20 {
				lock, err := Acquire(dir, "s", start)
				if err != nil {
					continue
				}
				if holders.Add(1) != 1 {
					t.Error("two holders at once")
				}
				taken.Add(1)
				_, _, _ = Held(dir)
				holders.Add(-1)
				if err := lock.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.Positive(t, taken.Load())
}

func TestLockOfARunThatWasKilledIsLeftAndNotHeld(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, left, err := Left(dir)
	require.NoError(t, err)
	require.False(t, left)

	lock, err := Acquire(dir, "s", start)
	require.NoError(t, err)
	_, left, err = Left(dir)
	require.NoError(t, err)
	require.False(t, left, "it is held")

	require.NoError(t, lock.lock.Unlock()) // what the system does for a process that is killed
	h, left, err := Left(dir)
	require.NoError(t, err)
	require.True(t, left)
	require.Equal(t, "s", h.Session)
}
