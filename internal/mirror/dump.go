package mirror

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Dump writes the mirror as SQL that makes it again, in any database: tables in
// the order of Tables, rows in the order of their keys. Nothing in it depends
// on when or how the mirror was written.
func (m Mirror) Dump(ctx context.Context, out io.Writer) (err error) {
	release, err := m.hold(ctx, false)
	if err != nil {
		return err
	}
	defer release()
	db, err := m.open(ctx, "mode=ro", "_query_only=1", "_busy_timeout=10000")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil) // all tables at the same moment
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // it only reads
	w := bufio.NewWriter(out)
	fmt.Fprintln(w, "BEGIN;")
	for _, t := range Tables() {
		fmt.Fprintf(w, "%s;\n", t.create())
		if err := dumpRows(ctx, w, tx, t); err != nil {
			return err
		}
	}
	fmt.Fprintln(w, "COMMIT;")
	return w.Flush()
}

func dumpRows(ctx context.Context, w *bufio.Writer, tx *sql.Tx, t Table) error {
	rows, err := tx.QueryContext(ctx, "SELECT "+t.list()+" FROM "+t.Name+" ORDER BY "+strings.Join(t.Key, ", "))
	if err != nil {
		return strange(err)
	}
	defer rows.Close()
	row, into := make([]any, len(t.Columns)), make([]any, len(t.Columns))
	for i := range row {
		into[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		fmt.Fprintf(w, "INSERT INTO %s VALUES(", t.Name)
		for i, v := range row {
			if i > 0 {
				w.WriteByte(',')
			}
			w.WriteString(literal(v))
		}
		w.WriteString(");\n")
	}
	return strange(rows.Err())
}

// literal is a value as SQL. Text that could steer a terminal is written in
// hexadecimal.
func literal(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		switch text := strconv.FormatFloat(v, 'g', -1, 64); {
		case math.IsInf(v, 0):
			return text[:1] + "9e999"
		case strings.ContainsAny(text, ".e"):
			return text
		default:
			return text + ".0"
		}
	case string:
		if strings.ContainsFunc(v, func(r rune) bool {
			return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
		}) {
			return "CAST(x'" + hex.EncodeToString([]byte(v)) + "' AS TEXT)"
		}
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	return fmt.Sprintf("'%v'", v) // no table has another type
}
