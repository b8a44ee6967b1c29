package mirror

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Answer is what a query comes to.
type Answer struct {
	Columns []string

	rows  *sql.Rows
	close []func() error
}

// QueryError is a statement that cannot be run, with the place of the mistake
// where there is one.
type QueryError struct {
	Line, Column int // from 1; 0 if there is no place
	Text         string
}

func (e *QueryError) Error() string {
	if e.Line == 0 {
		return e.Text
	}
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Text)
}

// ErrNoReading is a statement that does something other than to read.
var ErrNoReading = errors.New("only reading is allowed")

// Query runs one statement that reads. It can change nothing: not the mirror,
// which is opened for reading alone, and no other file, since the statement may
// not open one. The error is a *QueryError for a mistake in the statement,
// ErrNoReading for one that would write, and a *StrangeError for a mirror that
// Rebuild has to make again.
func (m Mirror) Query(ctx context.Context, statement string) (_ *Answer, err error) {
	a := &Answer{}
	defer func() {
		if err != nil {
			_ = a.Close() // the error that led here says more
		}
	}()
	if err := single(statement); err != nil {
		return nil, err
	}
	release, err := m.hold(ctx, false)
	if err != nil {
		return nil, err
	}
	a.close = append(a.close, func() error { release(); return nil })
	db, err := m.open(ctx, "mode=ro", "_query_only=1", "_busy_timeout=10000", "_pragma=temp_store(MEMORY)")
	if err != nil {
		return nil, err
	}
	a.close = append(a.close, db.Close)
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	a.close = append(a.close, conn.Close)
	if err := readOnly(conn); err != nil {
		return nil, err
	}
	if a.rows, err = conn.QueryContext(ctx, statement); err != nil {
		err = queryError(ctx, err)
		if wrong := (*QueryError)(nil); errors.As(err, &wrong) {
			if at := mistake(ctx, conn, statement, wrong.Text); at >= 0 {
				wrong.Line, wrong.Column = position(statement, at)
			}
		}
		return nil, err
	}
	a.close = append(a.close, a.rows.Close)
	a.Columns, err = a.rows.Columns()
	return a, err
}

// Rows are the rows, each of them nil, int64, float64, string or []byte per
// column. After an error there are no more.
func (a *Answer) Rows(ctx context.Context) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		row, into := make([]any, len(a.Columns)), make([]any, len(a.Columns))
		for i := range row {
			into[i] = &row[i]
		}
		for a.rows.Next() {
			if err := a.rows.Scan(into...); err != nil {
				yield(nil, err)
				return
			}
			if !yield(row, nil) {
				return
			}
		}
		if err := a.rows.Err(); err != nil {
			yield(nil, queryError(ctx, err))
		}
	}
}

// Close gives back the mirror.
func (a *Answer) Close() error {
	var all error
	for i := len(a.close) - 1; i >= 0; i-- {
		all = errors.Join(all, a.close[i]())
	}
	a.close = nil
	return all
}

// readOnly makes a connection refuse, before anything is run, what is not
// reading from the tables or asking for their columns.
func readOnly(conn *sql.Conn) error {
	return conn.Raw(func(driver any) error {
		c, ok := driver.(sqlite.AuthorizerRegisterer)
		if !ok {
			return errors.New("this SQLite cannot be kept from writing")
		}
		return c.RegisterAuthorizer(func(action sqlite.AuthorizerActionCode, arg, value, _, _ string) sqlite.AuthorizerReturnCode {
			switch action {
			case sqlite.AuthSelect, sqlite.AuthRead, sqlite.AuthRecursive:
				return sqlite.AuthorizerOK
			case sqlite.AuthFunction:
				if !strings.EqualFold(value, "load_extension") {
					return sqlite.AuthorizerOK
				}
			case sqlite.AuthPragma:
				switch strings.ToLower(arg) {
				case "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "function_list", "pragma_list", "collation_list", "compile_options":
					return sqlite.AuthorizerOK
				}
			}
			return sqlite.AuthorizerDeny
		})
	})
}

// queryError says what is wrong with a statement.
func queryError(ctx context.Context, err error) error {
	var e *sqlite.Error
	if ctx.Err() != nil || !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_AUTH, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return ErrNoReading
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return strange(err)
	}
	return &QueryError{Text: plainly(e)}
}

// plainly is SQLite's message without what it puts around it.
func plainly(e *sqlite.Error) string {
	text := strings.TrimSuffix(e.Error(), fmt.Sprintf(" (%d)", e.Code()))
	return strings.TrimPrefix(text, "SQL logic error: ")
}
