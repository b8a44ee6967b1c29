package gitrepo

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRefMovesOnlyFromWhereItWas(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.head()
	f.write("a.txt", "two\n")
	second := f.commit("second")
	w := &refWriter{git: f.repo.git}
	require.NoError(t, w.move("refs/heads/x", string(first), ""))

	err := w.move("refs/heads/x", string(first), string(second))
	require.ErrorContains(t, err, "cannot lock ref")
	require.True(t, locked(err), "worth another try")
	require.Equal(t, string(first), f.git("rev-parse", "x"))

	require.NoError(t, w.move("refs/heads/x", string(second), string(first)), "it starts again by itself")
	require.Equal(t, string(second), f.git("rev-parse", "x"))
	require.NoError(t, w.stop())
	require.NoError(t, w.stop(), "twice does no harm")
}

func TestRefLockedBySomebodyElseIsWorthAnotherTry(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := &refWriter{git: f.repo.git}
	lock := filepath.Join(f.dir, ".git", "refs", "heads", "main.lock")
	require.NoError(t, os.WriteFile(lock, nil, 0o644))
	f.git("config", "core.filesRefLockTimeout", "0")
	require.True(t, locked(w.move("refs/heads/main", string(f.head()), string(f.head()))))
	require.NoError(t, os.Remove(lock))
	require.NoError(t, w.stop())
}

func TestOfManyWritersOneWins(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.head()
	f.write("a.txt", "two\n")
	second := f.commit("second")
	f.git("branch", "race", string(first))
	var wg sync.WaitGroup
	won := make(chan bool, 8)
	for range 8 {
		wg.Go(func() {
			w := &refWriter{git: f.repo.git}
			won <- w.move("refs/heads/race", string(second), string(first)) == nil
			_ = w.stop()
		})
	}
	wg.Wait()
	close(won)
	winners := 0
	for ok := range won {
		if ok {
			winners++
		}
	}
	require.Equal(t, 1, winners)
}
