package mirror

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// spoil runs statements on the mirror as another program might.
func (p *mirrored) spoil(statements ...string) {
	p.Helper()
	db, err := sql.Open("sqlite", p.mirror().Path())
	require.NoError(p, err)
	defer db.Close()
	for _, s := range statements {
		_, err := db.Exec(s)
		require.NoError(p, err)
	}
}

func TestWhatIsNoMirrorOfThisVersionIsReplaced(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spoil func(p *mirrored, path string)
		why   string
	}{
		"text": {func(p *mirrored, path string) {
			require.NoError(p, os.WriteFile(path, []byte("hello, this is text\n"), 0o644))
		}, "it is damaged: "},
		"an empty file": {func(p *mirrored, path string) { require.NoError(p, os.WriteFile(path, nil, 0o644)) }, "it is another program's"},
		"another program's": {func(p *mirrored, path string) {
			require.NoError(p, os.Remove(path))
			p.spoil("CREATE TABLE sessions (a)")
		}, "it is another program's"},
		"an older version's": {func(p *mirrored, _ string) { p.spoil("PRAGMA user_version = 0") }, "it has the tables of version 0; this pipeline writes version 1"},
		"a table more":       {func(p *mirrored, _ string) { p.spoil("CREATE TABLE more (a)") }, "somebody has changed its tables"},
		"a trigger": {func(p *mirrored, _ string) {
			p.spoil("CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM tasks; END")
		}, "somebody has changed its tables"},
		"a table less": {func(p *mirrored, _ string) { p.spoil("DROP TABLE sends") }, "tables are missing"},
		"a page overwritten": {func(p *mirrored, path string) {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			require.NoError(p, err)
			_, err = f.WriteAt(make([]byte, 80<<10), 4096)
			require.NoError(p, err)
			require.NoError(p, f.Close())
		}, "it is damaged: "},
		"cut short": {func(p *mirrored, path string) { require.NoError(p, os.Truncate(path, 5000)) }, "it is damaged: "},
		"a link": {func(p *mirrored, path string) {
			elsewhere := filepath.Join(p.TempDir(), "elsewhere.db")
			require.NoError(p, os.Rename(path, elsewhere))
			require.NoError(p, os.Symlink(elsewhere, path))
		}, "it is not a file"},
		"an empty folder": {func(p *mirrored, path string) {
			require.NoError(p, os.Remove(path))
			require.NoError(p, os.Mkdir(path, 0o755))
		}, "it is not a file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newMirrored(t)
			s := p.example("s1")
			p.update()
			before := p.dump()
			test.spoil(p, p.mirror().Path())
			p.record(s, begun("TASK-01"))
			r := p.update()
			require.Contains(t, r.Replaced, test.why)
			updated := p.dump()
			require.NotEqual(t, before, updated)
			require.Empty(t, p.update().Replaced)

			test.spoil(p, p.mirror().Path())
			require.Empty(t, p.rebuild().Replaced, "this was asked for")
			require.Equal(t, updated, p.dump())
		})
	}
}

func TestAFolderWithSomethingInItIsLeftAlone(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	p.example("s1")
	inside := filepath.Join(p.mirror().Path(), "somebody's")
	require.NoError(t, os.MkdirAll(filepath.Dir(inside), 0o755))
	require.NoError(t, os.WriteFile(inside, []byte("kept"), 0o644))
	_, err := p.mirror().Update(context.Background())
	require.Error(t, err)
	require.FileExists(t, inside)
	left, err := filepath.Glob(p.mirror().unfinished() + "*")
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestWhatAKilledRebuildLeftIsRemoved(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	p.example("s1")
	p.update()
	for _, suffix := range suffixes {
		require.NoError(t, os.WriteFile(p.mirror().unfinished()+suffix, []byte("half"), 0o644))
	}
	before := p.dump()
	p.update()
	require.Equal(t, before, p.dump())
	left, err := filepath.Glob(p.mirror().unfinished() + "*")
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestTheJournalOfAnOldMirrorIsNotThatOfTheNew leaves the write-ahead log of a
// mirror that was deleted while it was in use.
func TestTheJournalOfAnOldMirrorIsNotThatOfTheNew(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	s := p.example("s1")
	p.update()
	db, err := openFile(p.mirror().Path(), "_journal_mode=WAL")
	require.NoError(t, err)
	_, err = db.Exec("UPDATE tasks SET state = 'nonsense'")
	require.NoError(t, err)
	require.FileExists(t, p.mirror().Path()+"-wal")
	require.NoError(t, os.Remove(p.mirror().Path()))
	p.record(s, begun("TASK-01"))
	p.update()
	require.NotContains(t, p.dump(), "nonsense")
	require.NoError(t, db.Close())
	require.NotContains(t, p.dump(), "nonsense")
	updated := p.dump()
	p.rebuild()
	require.Equal(t, p.dump(), updated)
}
