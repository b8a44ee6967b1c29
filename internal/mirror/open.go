package mirror

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/taskpipeline/pipeline/internal/session"
)

// File is the mirror's name in the store's folder.
const File = "pipeline.db"

// ours is the application_id of a mirror: "pipe" in ASCII.
const ours = 0x70697065

// Mirror is the mirror of a store.
type Mirror struct{ store session.Store }

// Of is the mirror of a store. It need not be there.
func Of(store session.Store) Mirror { return Mirror{store} }

// Path is where it is.
func (m Mirror) Path() string { return filepath.Join(m.store.Dir, File) }

// StrangeError says why the file in the mirror's place is none that this
// version could have written.
type StrangeError struct{ Why string }

func (e *StrangeError) Error() string { return e.Why }

// hold locks the mirror: together with others who use it, or alone to replace
// it. The system gives the lock back when its holder dies.
func (m Mirror) hold(ctx context.Context, alone bool) (release func(), err error) {
	const again = 20 * time.Millisecond
	lock := flock.New(m.store.Dir, flock.SetFlag(os.O_RDONLY))
	take := lock.TryRLockContext
	if alone {
		take = lock.TryLockContext
	}
	if _, err := take(ctx, again); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%s is in use: %w", File, context.Cause(ctx))
		}
		return nil, err
	}
	return func() { _ = lock.Unlock() }, nil // closing it gives it back in any case
}

// open opens the mirror with these settings. The error is a *StrangeError
// for a file that is there and is no mirror of this version, and wraps
// fs.ErrNotExist for none.
func (m Mirror) open(ctx context.Context, settings ...string) (*sql.DB, error) {
	info, err := os.Lstat(m.Path())
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &StrangeError{"it is not a file"}
	}
	db, err := openFile(m.Path(), settings...)
	if err != nil {
		return nil, err
	}
	if err := known(ctx, db); err != nil {
		_ = db.Close() // nothing was written
		return nil, err
	}
	return db, nil
}

// openFile opens a database on one connection.
func openFile(path string, settings ...string) (*sql.DB, error) {
	name := url.URL{Scheme: "file", Path: path, RawQuery: strings.Join(settings, "&")}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// known reports whether a database has exactly the tables of this version.
func known(ctx context.Context, db *sql.DB) error {
	var application, version int
	err := db.QueryRowContext(ctx, "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version").Scan(&application, &version)
	switch {
	case err != nil:
		return strange(err)
	case application != ours:
		return &StrangeError{"it is another program's"}
	case version != Version:
		return &StrangeError{fmt.Sprintf("it has the tables of version %d; this pipeline writes version %d", version, Version)}
	}
	wanted := map[string]bool{}
	for _, t := range Tables() {
		wanted[t.create()] = true
	}
	rows, err := db.QueryContext(ctx, "SELECT coalesce(sql, '') FROM sqlite_schema")
	if err != nil {
		return strange(err)
	}
	defer rows.Close()
	for rows.Next() {
		var statement string
		if err := rows.Scan(&statement); err != nil {
			return strange(err)
		}
		if !wanted[statement] {
			return &StrangeError{"somebody has changed its tables"}
		}
		delete(wanted, statement)
	}
	if err := rows.Err(); err != nil {
		return strange(err)
	}
	if len(wanted) > 0 {
		return &StrangeError{"tables are missing"}
	}
	return nil
}

// strange makes a *StrangeError of an error of SQLite that says that the file
// is not as it was written.
func strange(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_CONSTRAINT:
		return &StrangeError{"it is damaged: " + e.Error()}
	}
	return err
}

// gone tells whether an error says that there is no mirror.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) }
