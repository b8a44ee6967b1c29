package mirror

import (
	"context"
	"database/sql"
	"regexp"
	"strings"
)

// SQLite names the token that it stumbled over, and not where it is.
var (
	stumbled = regexp.MustCompile(`^(?:near|unrecognized token:) "(.*)"`)
	unknown  = regexp.MustCompile(`^(?:no such (?:column|table|function)|ambiguous column name|wrong number of arguments to function|misuse of aggregate(?: function)?|misuse of window function):? (?:\S*\.)?"?([^\s."()]+)`)
)

// mistake is where in a statement that is which SQLite's message tells of, in
// bytes; -1 if nobody knows.
func mistake(ctx context.Context, conn *sql.Conn, statement, message string) int {
	if message == "incomplete input" {
		return len(strings.TrimRight(statement, " \t\r\n;"))
	}
	if m := stumbled.FindStringSubmatch(message); m != nil {
		for t := range tokens(statement) {
			if strings.HasPrefix(t.text, m[1]) && stumbles(ctx, conn, statement[:t.end()], message) {
				return t.at
			}
		}
	}
	if m := unknown.FindStringSubmatch(message); m != nil {
		for t := range tokens(statement) {
			if t.is(m[1]) {
				return t.at
			}
		}
	}
	return -1
}

// stumbles reports whether the beginning of a statement is enough for the same
// message: then it is its last token that SQLite stumbles over. Nothing is run.
func stumbles(ctx context.Context, conn *sql.Conn, beginning, message string) bool {
	rows, err := conn.QueryContext(ctx, "EXPLAIN "+beginning)
	if err == nil {
		_ = rows.Close() // it was only asked whether it can be read
		return false
	}
	return strings.Contains(err.Error(), message)
}
