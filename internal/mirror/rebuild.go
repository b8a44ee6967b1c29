package mirror

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"github.com/taskpipeline/pipeline/internal/crash"
)

// suffixes are those of the files that SQLite keeps of one database.
var suffixes = []string{"", "-wal", "-shm", "-journal"}

// unfinished is the name of a mirror that is being made.
func (m Mirror) unfinished() string { return m.Path() + ".new" }

// Rebuild makes the mirror anew from the files alone, whatever is in its place.
func (m Mirror) Rebuild(ctx context.Context) (r Report, err error) {
	defer crash.Around("mirror rebuild")()
	release, err := m.hold(ctx, true)
	if err != nil {
		return r, err
	}
	defer release()
	if err := removeAll(m.unfinished()); err != nil {
		return r, err
	}
	defer func() {
		if err != nil {
			_ = removeAll(m.unfinished()) // the error that led here says more
		}
	}()
	if err := m.make(ctx, &r); err != nil {
		return r, err
	}
	return r, m.replace()
}

// make writes the whole mirror to its unfinished name.
func (m Mirror) make(ctx context.Context, r *Report) (err error) {
	// Nothing is kept of it unless it is finished: it needs no journal.
	db, err := openFile(m.unfinished(), "_journal_mode=OFF", "_synchronous=OFF", "_pragma=locking_mode(EXCLUSIVE)", "_pragma=cache_size(-65536)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := createTables(ctx, db); err != nil {
		return err
	}
	if err := m.foldAll(ctx, db, r); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "PRAGMA journal_mode = WAL") // the file says so to whoever opens it
	return err
}

func createTables(ctx context.Context, db *sql.DB) error {
	statements := []string{fmt.Sprintf("PRAGMA application_id = %d", ours), fmt.Sprintf("PRAGMA user_version = %d", Version)}
	for _, t := range Tables() {
		statements = append(statements, t.create())
	}
	for _, s := range statements {
		if _, err := db.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// replace puts the finished mirror in the place of the old one. What SQLite
// keeps beside a file belongs to that file alone, so the old one goes with all
// of it before the new one gets its name; without any mirror, the next one who
// wants it makes it.
func (m Mirror) replace() error {
	if err := syncFile(m.unfinished()); err != nil {
		return err
	}
	crash.At("between write and rename of mirror")
	if err := removeAll(m.Path()); err != nil {
		return err
	}
	crash.At("between remove and rename of mirror")
	if err := os.Rename(m.unfinished(), m.Path()); err != nil {
		return err
	}
	return syncFile(m.store.Dir)
}

func removeAll(path string) error {
	for _, suffix := range suffixes {
		if err := os.Remove(path + suffix); err != nil && !gone(err) {
			return err
		}
	}
	return nil
}

// syncFile makes a file, or the names in a folder, durable.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return cmp.Or(f.Sync(), f.Close())
}
