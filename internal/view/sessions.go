package view

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"github.com/taskpipeline/pipeline/scheduler"
)

// Session is one row of a list of sessions.
type Session struct {
	ID      string            `json:"session"`
	Work    string            `json:"work"`
	Title   string            `json:"title,omitempty"`
	Branch  string            `json:"branch,omitempty"`
	State   string            `json:"state"` // a SessionState, or what else the caller knows
	Started time.Time         `json:"started"`
	Updated time.Time         `json:"updated"`
	Totals  *scheduler.Totals `json:"totals,omitempty"` // nil when the record does not end in them
	Problem string            `json:"problem,omitempty"`
}

// Sessions writes a list of sessions, in the order given.
func Sessions(w io.Writer, list []Session, st Style, now time.Time) error {
	out := bufio.NewWriter(w)
	if len(list) == 0 {
		fmt.Fprintln(out, "no sessions yet")
		writeNext(out, st, []Advice{{"pipeline run", "start one"}})
		return out.Flush()
	}
	rows := make([][]cell, len(list))
	for i := range list {
		rows[i] = list[i].row(now)
	}
	for _, line := range table(st, 0, rows) {
		fmt.Fprintln(out, line)
	}
	fmt.Fprintln(out)
	writeNext(out, st, []Advice{{"pipeline status " + quoted(list[0].ID), "look at the last one"}})
	return out.Flush()
}

func (s *Session) row(now time.Time) []cell {
	about := s.Problem
	if about == "" && s.Totals != nil {
		about = nonzero(*s.Totals)
	}
	return []cell{{text: s.ID}, {text: s.Work}, {text: s.State, hue: SessionState(s.State).hue()}, {text: ago(s.Updated, now), right: true}, {text: about}}
}
