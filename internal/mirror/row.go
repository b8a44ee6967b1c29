package mirror

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// A row's fields are pointers to its values in the order of the table's
// columns: what a statement is given, and what is scanned into.

type sessionRow struct {
	session, work, title, branch, folder, state, verdict, problem, started, updated     str
	runs, done, failed, skipped, waiting, notStarted, upToDate, interrupted, seq, bytes int64
}

func (r *sessionRow) fields() []any {
	return []any{&r.session, &r.work, &r.title, &r.branch, &r.folder, &r.state, &r.verdict, &r.problem, &r.started, &r.updated,
		&r.runs, &r.done, &r.failed, &r.skipped, &r.waiting, &r.notStarted, &r.upToDate, &r.interrupted, &r.seq, &r.bytes}
}

type taskRow struct {
	session, task, title, file, needs, spec, state, reason, stage str
	attempt, round                                                num
	commit                                                        str

	changed bool // and not yet written
}

func (r *taskRow) fields() []any {
	return []any{&r.session, &r.task, &r.title, &r.file, &r.needs, &r.spec, &r.state, &r.reason, &r.stage, &r.attempt, &r.round, &r.commit}
}

type stageRow struct {
	session                                     str
	seq                                         int64
	task, stage                                 str
	attempt, round                              num
	executor, status, reason, started, finished str
	millis                                      num
	base, tree, commit, summary                 str
	sends, input, output                        int64
	usd                                         float64

	changed bool // and not yet written
}

func (r *stageRow) fields() []any {
	return []any{&r.session, &r.seq, &r.task, &r.stage, &r.attempt, &r.round, &r.executor, &r.status, &r.reason, &r.started, &r.finished,
		&r.millis, &r.base, &r.tree, &r.commit, &r.summary, &r.sends, &r.input, &r.output, &r.usd}
}

// str is a text that is NULL when it is empty.
type str string

// Value is what stands in the table.
func (s *str) Value() (driver.Value, error) {
	if *s == "" {
		return nil, nil
	}
	return string(*s), nil
}

// Scan takes over what stands in the table.
func (s *str) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*s = ""
	case string:
		*s = str(v)
	default:
		return fmt.Errorf("%T where a text was expected", v)
	}
	return nil
}

// num is a number that is NULL when it is 0.
type num int64

// Value is what stands in the table.
func (n *num) Value() (driver.Value, error) {
	if *n == 0 {
		return nil, nil
	}
	return int64(*n), nil
}

// Scan takes over what stands in the table.
func (n *num) Scan(v any) error {
	switch v := v.(type) {
	case nil:
		*n = 0
	case int64:
		*n = num(v)
	default:
		return fmt.Errorf("%T where a number was expected", v)
	}
	return nil
}

// moment is a time as the mirror has it: UTC, to the millisecond, so that texts
// compare as times do.
func moment(t time.Time) str {
	if t.IsZero() {
		return ""
	}
	return str(t.UTC().Format("2006-01-02T15:04:05.000Z"))
}
