package view

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
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
	Usage   *stages.Usage     `json:"usage,omitempty"`  // nil when nothing was used up
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
	costs := slices.ContainsFunc(list, func(s Session) bool { return s.cost() != "" })
	rows := make([][]cell, len(list))
	for i := range list {
		rows[i] = list[i].row(now, costs)
	}
	for _, line := range table(st, 0, rows) {
		fmt.Fprintln(out, line)
	}
	fmt.Fprintln(out)
	writeNext(out, st, []Advice{{"pipeline status " + quoted(list[0].ID), "look at the last one"}})
	return out.Flush()
}

// row is the session's line; costs says whether any session has one.
func (s *Session) row(now time.Time, costs bool) []cell {
	about := s.Problem
	if about == "" && s.Totals != nil {
		about = nonzero(*s.Totals)
	}
	row := []cell{{text: s.ID}, {text: s.Work}, {text: s.State, hue: SessionState(s.State).hue()}, {text: ago(s.Updated, now), right: true}}
	if costs {
		row = append(row, cell{text: s.cost(), right: true})
	}
	return append(row, cell{text: about})
}

// cost is what a session's agents used up, in one word or two.
func (s *Session) cost() string {
	switch u := s.Usage; {
	case u == nil:
		return ""
	case u.USD > 0:
		return used(stages.Usage{USD: u.USD})
	default:
		return used(stages.Usage{InputTokens: u.InputTokens, OutputTokens: u.OutputTokens})
	}
}
