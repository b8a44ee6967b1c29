package dispatch

import (
	"cmp"
	"slices"
	"strings"

	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// MaxSize is the largest dispatch that is sent, in bytes.
const MaxSize = 4 << 20

// leastKept is how much of a text is left when it is cut, in bytes: enough to
// see what it was about.
const leastKept = 512

// Cut says how a text of a dispatch was shortened to make it fit.
type Cut struct {
	Task  tasks.ID // the ancestor whose handoff it is of; "" for the retry's texts
	Field string   // what, why, caution, incomplete, progress, error
	From  int      // bytes before
	To    int      // bytes after, the mark included
}

// Limit is the dispatch shortened such that Encode writes at most size bytes,
// and what was cut for it. The longest texts of the farthest ancestors are cut
// first, then those of nearer ones, last the progress.md and the errors quoted
// in the retry. Each keeps its beginning and ends in a mark; no handoff is left
// out, and the TASK's own text is never cut. If all that is not enough, the
// dispatch is returned as small as it could be made. d itself is not changed.
func (d Dispatch) Limit(size int) (Dispatch, []Cut) {
	excess := encodedSize(d) - size
	if excess <= 0 {
		return d, nil
	}
	d = d.clone()
	var cuts []Cut
	for _, t := range d.cuttable() {
		if excess <= 0 {
			break
		}
		*t.text = window.Clean(*t.text)
		before := *t.text
		shortened := shorten(before, excess)
		if saved := escapedLen(before) - escapedLen(shortened); saved > 0 {
			excess -= saved
			*t.text = shortened
			cuts = append(cuts, Cut{Task: t.task, Field: t.field, From: len(before), To: len(shortened)})
		}
	}
	return d, cuts
}

// clone copies what cutting changes.
func (d Dispatch) clone() Dispatch {
	d.Handoffs = slices.Clone(d.Handoffs)
	if d.Retry == nil {
		return d
	}
	retry := *d.Retry
	retry.Failures = slices.Clone(retry.Failures)
	if retry.Progress != nil {
		progress := *retry.Progress
		retry.Progress = &progress
	}
	d.Retry = &retry
	return d
}

// longText is one text that may be cut.
type longText struct {
	text     *string
	distance int
	task     tasks.ID
	field    string
}

// cuttable lists the texts that may be cut, in the order in which they are.
func (d Dispatch) cuttable() []longText {
	var texts []longText
	for i := range d.Handoffs {
		s := &d.Handoffs[i]
		if s.Task == "" || s.Level == window.Drop {
			continue
		}
		for _, f := range []longText{
			{text: &s.Handoff.What, field: "what"},
			{text: &s.Handoff.Why, field: "why"},
			{text: &s.Handoff.Caution, field: "caution"},
			{text: &s.Handoff.Incomplete, field: "incomplete"},
		} {
			f.distance, f.task = s.Distance, s.Task
			texts = append(texts, f)
		}
	}
	if d.Retry != nil {
		if d.Retry.Progress != nil {
			texts = append(texts, longText{text: &d.Retry.Progress.Text, field: "progress"})
		}
		for i := range d.Retry.Failures {
			texts = append(texts, longText{text: &d.Retry.Failures[i].Error, field: "error"})
		}
	}
	slices.SortStableFunc(texts, func(a, b longText) int {
		return cmp.Or(cmp.Compare(b.distance, a.distance), cmp.Compare(len(*b.text), len(*a.text)))
	})
	return texts
}

// shorten cuts a text such that its escaped form loses excess bytes, or as many
// as it can and still keep its beginning.
func shorten(s string, excess int) string {
	keep, lost := len(s), -len(cutMark)
	for keep > leastKept && lost < excess {
		keep--
		switch s[keep] {
		case '<', '>':
			lost += len("&lt;")
		case '&':
			lost += len("&amp;")
		default:
			lost++
		}
	}
	if keep == len(s) || lost <= 0 {
		return s
	}
	return cut(s, keep+len(cutMark))
}

func escapedLen(s string) int {
	return len(s) + 3*strings.Count(s, "<") + 3*strings.Count(s, ">") + 4*strings.Count(s, "&")
}

// encodedSize is how many bytes Encode writes.
func encodedSize(d Dispatch) int {
	var n counter
	// A counter never refuses a write.
	_ = d.Encode(&n)
	return int(n)
}

type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}
