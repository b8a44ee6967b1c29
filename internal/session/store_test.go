package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/scheduler"
)

func TestCreateMakesAFolderThatGitIgnores(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s, err := At(root).Create("login-1", start)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(root, ".pipeline", "sessions", "login-1"), s.Dir)
	require.Equal(t, "*\n", text(t, filepath.Join(root, ".pipeline", ".gitignore")))
	require.DirExists(t, s.HandoffDir())
	require.DirExists(t, filepath.Join(s.Dir, "requests"))
}

func TestCreateWithoutAnIDMintsAULID(t *testing.T) {
	t.Parallel()
	store := At(t.TempDir())
	a, err := store.Create("", start)
	require.NoError(t, err)
	b, err := store.Create("", start.Add(time.Second))
	require.NoError(t, err)
	require.True(t, isRequestID(a.ID), a.ID)
	require.Less(t, a.ID, b.ID)
}

func TestCreateKeepsAnExistingGitignore(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, Folder), 0o755))
	write(t, filepath.Join(root, Folder, ".gitignore"), "mine\n")
	_, err := At(root).Create("x", start)
	require.NoError(t, err)
	require.Equal(t, "mine\n", text(t, filepath.Join(root, Folder, ".gitignore")))
}

func TestCreateRefusesATakenID(t *testing.T) {
	t.Parallel()
	store := At(t.TempDir())
	_, err := store.Create("x", start)
	require.NoError(t, err)
	_, err = store.Create("x", start)
	require.ErrorIs(t, err, ErrExists)
}

func TestBadIDIsRefusedAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"..", ".hidden", "a/b", "a b", "ü", "a\nb", "a\x00", `a\b`, strings.Repeat("x", 101), "a..b", "a.", "a.lock"} {
		root := t.TempDir()
		_, err := At(root).Create(id, start)
		var bad *IDError
		require.ErrorAs(t, err, &bad, "%q", id)
		_, err = At(root).Open(id)
		require.ErrorAs(t, err, &bad, "%q", id)
		left, err := os.ReadDir(root)
		require.NoError(t, err)
		require.Empty(t, left, "%q", id)
	}
}

func TestGoodIDs(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"a", "A-1_b.2", "-x", "_", "0", strings.Repeat("x", 100), "v1.2"} {
		require.NoError(t, CheckID(id), "%q", id)
	}
}

func TestReadingAStoreThatIsNotThereFindsNothingAndMakesNothing(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	all, err := At(root).List()
	require.NoError(t, err)
	require.Empty(t, all)
	_, err = At(root).Find("x")
	var none *NotFoundError
	require.ErrorAs(t, err, &none)
	_, err = At(root).Open("x")
	require.ErrorAs(t, err, &none)
	require.NoDirExists(t, filepath.Join(root, Folder))
}

func TestFindTakesAUniquePrefix(t *testing.T) {
	t.Parallel()
	store := At(t.TempDir())
	for _, id := range []string{"01JD", "01JDX", "01JE", "login"} {
		_, err := store.Create(id, start)
		require.NoError(t, err)
	}
	for prefix, want := range map[string]string{"l": "login", "LOG": "login", "01JD": "01JD", "01jdx": "01JDX", "01JE": "01JE"} {
		s, err := store.Find(prefix)
		require.NoError(t, err, prefix)
		require.Equal(t, want, s.ID, prefix)
	}
}

func TestFindNamesTheSessionsOfAnAmbiguousPrefix(t *testing.T) {
	t.Parallel()
	store := At(t.TempDir())
	for _, id := range []string{"01JE", "01JD", "x"} {
		_, err := store.Create(id, start)
		require.NoError(t, err)
	}
	_, err := store.Find("01")
	var many *AmbiguousError
	require.ErrorAs(t, err, &many)
	require.Equal(t, []string{"01JD", "01JE"}, many.IDs)
	_, err = store.Find("02")
	var none *NotFoundError
	require.ErrorAs(t, err, &none)
}

func TestListPutsTheLastStartedFirst(t *testing.T) {
	t.Parallel()
	store := At(t.TempDir())
	for i, id := range []string{"b", "c", "a"} {
		s, err := store.Create(id, start)
		require.NoError(t, err)
		j, _, err := s.Journal()
		require.NoError(t, err)
		e := event(1, scheduler.RunStarted)
		e.Time = start.Add(time.Duration(i) * time.Hour)
		e.Work = "WORK-" + id
		require.NoError(t, j.Append(e))
		require.NoError(t, j.Close())
	}
	all, err := store.List()
	require.NoError(t, err)
	require.Equal(t, "[a c b]", fmt.Sprint([]string{all[0].ID, all[1].ID, all[2].ID}))
	require.Equal(t, "WORK-a", all[0].Work)
	require.Equal(t, Open, all[0].State)
}

func TestSummaryTellsTheStateFromTheLastEventThatIsNotEvidence(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	require.Equal(t, Empty, s.Summary().State)

	record(t, s, scheduler.RunStarted, scheduler.TaskStarted)
	require.Equal(t, Open, s.Summary().State)

	j, _, err := s.Journal()
	require.NoError(t, err)
	end := event(3, scheduler.RunFinished)
	end.Verdict, end.Totals = "failed", &scheduler.Totals{Failed: 1}
	require.NoError(t, j.Append(end))
	require.NoError(t, j.Append(event(4, scheduler.Warning)))
	require.NoError(t, j.Close())
	sum := s.Summary()
	require.Equal(t, Finished, sum.State)
	require.Equal(t, "failed", sum.Verdict)
	require.Equal(t, &scheduler.Totals{Failed: 1}, sum.Totals)
	require.EqualValues(t, 3, sum.Events)

	record(t, s, scheduler.Command)
	require.Equal(t, Open, s.Summary().State)
}

func TestSummaryFindsALastEventBehindALongLine(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	record(t, s, scheduler.RunStarted, scheduler.RunFinished)
	j, _, err := s.Journal()
	require.NoError(t, err)
	long := event(3, scheduler.Warning)
	long.Reason = strings.Repeat("x", 5*endBlock)
	require.NoError(t, j.Append(long))
	require.NoError(t, j.Close())
	require.Equal(t, Finished, s.Summary().State)
}

func TestABrokenRecordIsListedAndHidesNoOther(t *testing.T) {
	t.Parallel()
	store := At(t.TempDir())
	for _, id := range []string{"good", "bad"} {
		s, err := store.Create(id, start)
		require.NoError(t, err)
		record(t, s, scheduler.RunStarted)
	}
	bad, err := store.Open("bad")
	require.NoError(t, err)
	write(t, bad.EventsFile(), text(t, bad.EventsFile())+"nonsense\n")
	all, err := store.List()
	require.NoError(t, err)
	require.Len(t, all, 2)
	states := map[string]State{all[0].ID: all[0].State, all[1].ID: all[1].State}
	require.Equal(t, map[string]State{"good": Open, "bad": Broken}, states)
	require.Contains(t, bad.Summary().Problem, "events.jsonl:2: ")
}
