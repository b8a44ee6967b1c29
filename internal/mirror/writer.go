package mirror

import (
	"context"
	"database/sql"
)

// writer writes rows in one transaction. After an error, which commit returns,
// it does nothing more.
type writer struct {
	ctx      context.Context
	tx       *sql.Tx
	prepared map[string]*sql.Stmt
	err      error
}

func newWriter(ctx context.Context, tx *sql.Tx) *writer {
	return &writer{ctx: ctx, tx: tx, prepared: map[string]*sql.Stmt{}}
}

// put writes a row in the place of the one with its key.
func (w *writer) put(name string, values ...any) { w.do(replacing, name, values) }

// add writes a row unless there is one with its key, and tells whether it did.
func (w *writer) add(name string, values ...any) bool { return w.do(keeping, name, values) > 0 }

// What an insert does about a row that is there.
const (
	replacing = "INSERT OR REPLACE"
	keeping   = "INSERT OR IGNORE"
)

func (w *writer) do(verb, name string, values []any) (rows int64) {
	if w.err != nil {
		return 0
	}
	key := verb + name
	stmt := w.prepared[key]
	if stmt == nil {
		if stmt, w.err = w.tx.PrepareContext(w.ctx, table(name).insert(verb)); w.err != nil {
			return 0
		}
		w.prepared[key] = stmt
	}
	return w.result(stmt.ExecContext(w.ctx, values...))
}

// exec runs another statement and returns how many rows it changed.
func (w *writer) exec(statement string, values ...any) (rows int64) {
	if w.err != nil {
		return 0
	}
	return w.result(w.tx.ExecContext(w.ctx, statement, values...))
}

func (w *writer) result(r sql.Result, err error) (rows int64) {
	if err == nil {
		rows, err = r.RowsAffected()
	}
	w.err = err
	return rows
}

// each calls row for each row of a query; row scans it.
func (w *writer) each(row func(scan func(into ...any)), query string, values ...any) {
	if w.err != nil {
		return
	}
	rows, err := w.tx.QueryContext(w.ctx, query, values...)
	if err != nil {
		w.err = err
		return
	}
	defer rows.Close()
	scan := func(into ...any) { w.err = rows.Scan(into...) }
	for w.err == nil && rows.Next() {
		row(scan)
	}
	if w.err == nil {
		w.err = rows.Err()
	}
}

// forget removes all rows of a session.
func (w *writer) forget(session string) {
	for _, t := range Tables() {
		w.exec("DELETE FROM "+t.Name+" WHERE session = ?", session)
	}
}

// commit ends the transaction.
func (w *writer) commit() error {
	for _, stmt := range w.prepared {
		_ = stmt.Close() // it has nothing to report that its use did not
	}
	if w.err != nil {
		_ = w.tx.Rollback() // the error that led here says more
		return w.err
	}
	return w.tx.Commit()
}
