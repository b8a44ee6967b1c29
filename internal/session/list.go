package session

import (
	"cmp"
	"os"
	"slices"
	"time"

	"github.com/taskpipeline/pipeline/scheduler"
)

// State is what the first and the last event of a record tell of a session.
type State string

// The states. Whether an Open session is running now is for Held to say.
const (
	Empty    State = "empty"    // nothing is recorded
	Open     State = "open"     // running, or cut off
	Finished State = "finished" // its last run came to an end; see Verdict
	Broken   State = "broken"   // its record cannot be read; see Problem
)

// Summary is a session at a glance.
type Summary struct {
	ID      string            `json:"id"`
	State   State             `json:"state"`
	Verdict string            `json:"verdict,omitempty"` // Finished: of the last run
	Totals  *scheduler.Totals `json:"totals,omitempty"`  // Finished: of the last run
	Work    string            `json:"work,omitempty"`
	Title   string            `json:"title,omitempty"`
	Branch  string            `json:"branch,omitempty"`
	Folder  string            `json:"folder,omitempty"`
	Started time.Time         `json:"started"` // first event; of an Empty one, when its folder last changed
	Updated time.Time         `json:"updated"` // last event that is not evidence
	Events  int64             `json:"events"`  // seq of that event
	Problem string            `json:"problem,omitempty"`
}

// List tells of every session, the last started first. It reads the two ends of
// each record and nothing between; a record that is broken there is listed as
// Broken and hides no other.
func (s Store) List() ([]Summary, error) {
	ids, err := s.IDs()
	if err != nil {
		return nil, err
	}
	all := make([]Summary, 0, len(ids))
	for _, id := range ids {
		all = append(all, (&Session{ID: id, Dir: s.path(id)}).Summary())
	}
	slices.SortStableFunc(all, func(a, b Summary) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.ID, a.ID))
	})
	return all, nil
}

// Summary tells of one session what List tells of all.
func (s *Session) Summary() Summary {
	sum := Summary{ID: s.ID, State: Empty}
	if info, err := os.Stat(s.Dir); err == nil {
		sum.Started, sum.Updated = info.ModTime().UTC(), info.ModTime().UTC()
	}
	first, last, err := s.ends()
	if err != nil {
		sum.State, sum.Problem = Broken, err.Error()
		return sum
	}
	if first == nil {
		return sum
	}
	sum.State = Open
	sum.Work, sum.Title, sum.Branch, sum.Folder = first.Work, first.Title, first.Branch, first.Folder
	sum.Started, sum.Updated, sum.Events = first.Time, last.Time, last.Seq
	if last.Type == scheduler.RunFinished {
		sum.State, sum.Verdict, sum.Totals = Finished, string(last.Verdict), last.Totals
	}
	return sum
}
