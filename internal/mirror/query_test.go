package mirror

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// asked runs a query for its error alone.
func (p *mirrored) asked(statement string) error {
	a, err := p.mirror().Query(context.Background(), statement)
	if err != nil {
		return err
	}
	for _, e := range a.Rows(context.Background()) {
		err = e
	}
	return errors.Join(err, a.Close())
}

func TestAMistakeHasAPlace(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	p.session("s1")
	p.update()
	for statement, want := range map[string]string{
		"SELEC 1":                                  `1:1: near "SELEC": syntax error`,
		"SELECT a\nFROM tasks\n WHERE WHERE":       `3:8: near "WHERE": syntax error`,
		"SELECT 'FROM', \"a\" FROM FROM":           `1:25: near "FROM": syntax error`,
		"SELECT -- FROM\n  1 FROM /* FROM */ FROM": `2:21: near "FROM": syntax error`,
		"SELECT 1 +":                               `1:11: incomplete input`,
		"SELECT count(  ":                          `1:14: incomplete input`,
		"SELECT 'ö', nowhere FROM tasks":           `1:13: no such column: nowhere`,
		"SELECT t.nowhere FROM tasks t":            `1:10: no such column: t.nowhere`,
		"SELECT 1 FROM nowhere":                    `1:15: no such table: nowhere`,
		"SELECT nowhere(1)":                        `1:8: no such function: nowhere`,
		"SELECT task FROM tasks, sends":            `1:8: ambiguous column name: task`,
		"SELECT 'abc":                              `1:8: unrecognized token: "'abc"`,
		"SELECT #":                                 `1:8: unrecognized token: "#"`,
		"SELECT 1; SELECT 2":                       `1:11: one statement at a time`,
		"SELECT ';' ; -- no more\n; x":             `2:3: one statement at a time`,
		"SELECT json_extract('{', '$')":            `malformed JSON`,
		"":                                         `there is no statement`,
		" ; -- nothing":                            `there is no statement`,
	} {
		var wrong *QueryError
		require.ErrorAs(t, p.asked(statement), &wrong, "%q", statement)
		require.Equal(t, want, wrong.Error(), "%q", statement)
	}
	for _, statement := range []string{"SELECT 1;", "SELECT 1 -- ;x", "SELECT ';', \"a;b\" FROM (SELECT 1 AS \"a;b\");;", "/* ; */ SELECT [a;b] FROM (SELECT 1 AS [a;b])"} {
		require.NoError(t, p.asked(statement), "%q", statement)
	}
}

// TestAQueryCanWriteNothing tries what SQLite has to write with, and compares
// all that is there before and after.
func TestAQueryCanWriteNothing(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	p.example("s1")
	p.update()
	before, beside := p.dump(), filepath.Join(p.store.Dir, "x.db")
	files := p.everything()
	for _, statement := range []string{
		"INSERT INTO tasks (session, task) VALUES ('s1', 'TASK-09')",
		"WITH x AS (SELECT 1) INSERT INTO tasks (session, task) SELECT 's1', 'TASK-09' FROM x",
		"REPLACE INTO tasks (session, task) VALUES ('s1', 'TASK-09')",
		"UPDATE tasks SET state = 'done'", "DELETE FROM events", "DROP TABLE events", "ALTER TABLE tasks ADD COLUMN x",
		"CREATE TABLE x (a)", "CREATE TEMP TABLE x (a)", "CREATE VIEW x AS SELECT 1", "CREATE INDEX x ON tasks (title)",
		"CREATE VIRTUAL TABLE x USING fts5(a)",
		"ATTACH '" + beside + "' AS x", "ATTACH 'file:" + beside + "?mode=rwc' AS x", "DETACH main",
		"VACUUM", "VACUUM INTO '" + beside + "'", "REINDEX", "ANALYZE",
		"BEGIN", "BEGIN IMMEDIATE", "COMMIT", "SAVEPOINT x",
		"PRAGMA query_only = 0", "PRAGMA user_version = 7", "PRAGMA writable_schema = 1", "PRAGMA journal_mode = DELETE",
		"PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA optimize", "PRAGMA incremental_vacuum", "PRAGMA application_id = 1",
		"PRAGMA temp_store_directory = '/'", "PRAGMA locking_mode = EXCLUSIVE", "PRAGMA hard_heap_limit = 1",
		"EXPLAIN DELETE FROM events",
	} {
		require.ErrorIs(t, p.asked(statement), ErrNoReading, "%q", statement)
	}
	for _, statement := range []string{
		"SELECT load_extension('x')", "SELECT writefile('" + beside + "', 'x')", "SELECT readfile('/etc/passwd')", "SELECT edit('x')",
		"SELECT * FROM pragma_journal_mode('DELETE')", "CREATE TRIGGER x AFTER INSERT ON tasks BEGIN SELECT 1; END", "SELECT fts3_tokenizer('x')",
	} {
		require.Error(t, p.asked(statement), "%q", statement)
	}
	require.Equal(t, before, p.dump())
	require.Equal(t, files, p.everything())
	require.NoError(t, p.asked("PRAGMA table_info(tasks)"))
	require.NoError(t, p.asked("EXPLAIN QUERY PLAN SELECT * FROM tasks"))
}

// everything is what lies in the store, with sizes.
func (p *mirrored) everything() map[string]int64 {
	p.Helper()
	all := map[string]int64{}
	require.NoError(p, filepath.WalkDir(p.store.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		all[path] = info.Size()
		return err
	}))
	return all
}

func TestAQueryEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	p.session("s1")
	p.update()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	a, err := p.mirror().Query(ctx, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
	if err == nil {
		for _, e := range a.Rows(ctx) {
			err = e
		}
		require.NoError(t, a.Close())
	}
	require.Error(t, err)
	require.Error(t, ctx.Err())
}

func TestAQueryHoldsUpNobodyButARebuild(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	s := p.example("s1")
	p.update()
	a, err := p.mirror().Query(context.Background(), "SELECT seq FROM events")
	require.NoError(t, err)
	for range a.Rows(context.Background()) {
		break
	}
	p.record(s, begun("TASK-01"))
	require.Equal(t, 1, p.update().Events)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err = p.mirror().Rebuild(ctx)
	require.ErrorContains(t, err, "pipeline.db is in use")
	require.NoError(t, a.Close())
	p.rebuild()
}

func TestTheDumpMakesTheMirrorAgainAndSteersNoTerminal(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	s := p.session("s1")
	e := begun("TASK-01")
	e.Title = "it's\x1b[2J\u009b31m \u202e\r\x00 end"
	p.record(s, e)
	p.update()
	dump := p.dump()
	for _, bad := range []string{"\x1b", "\u009b", "\u202e", "\r", "\x00"} {
		require.NotContains(t, p.tables("sessions"), bad)
	}
	path := filepath.Join(t.TempDir(), "again.db")
	db, err := openFile(path)
	require.NoError(t, err)
	_, err = db.Exec(dump)
	require.NoError(t, err)
	var title string
	require.NoError(t, db.QueryRow("SELECT title FROM sessions").Scan(&title))
	require.Equal(t, e.Title, title)
	require.NoError(t, db.Close())
}

func TestThereNeedBeNoMirror(t *testing.T) {
	t.Parallel()
	p := newMirrored(t)
	p.session("s1")
	_, err := p.mirror().Query(context.Background(), "SELECT 1")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Empty(t, strings.TrimSpace(p.read(p.session("s2"), "events.jsonl")))
}
