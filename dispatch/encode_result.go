package dispatch

import (
	"io"
	"strings"

	"github.com/beevik/etree"

	"github.com/taskpipeline/pipeline/window"
)

// maxText is the largest text of a task-result, in bytes.
const maxText = 64 << 10

// Encode writes the `<task-result>` element, ending in a line feed. Texts are
// cleaned, cut to 64 KiB with a mark, and escaped, so that ParseResult reads
// the same value back. Warnings are not part of the message. The only error is
// the writer's.
func (r Result) Encode(w io.Writer) error {
	m := newMessage("task-result")
	setAttr(m.root, "work", r.Work)
	setAttr(m.root, "task", string(r.Task))
	setAttr(m.root, "agent", string(r.Agent))
	m.root.CreateAttr("status", string(r.Status))
	if summary := bounded(r.Summary); summary != "" {
		setText(m.child("summary"), summary)
	}
	if len(r.FilesChanged) > 0 {
		addFiles(m.child("files-changed"), r.FilesChanged)
	}
	if len(r.SelfCheck) > 0 {
		addChecks(m.child("self-check"), r.SelfCheck)
	}
	if len(r.Verification) > 0 {
		addChecks(m.child("verification"), r.Verification)
	}
	if len(r.Failures) > 0 {
		addFailures(m.child("failure-details"), boundedFailures(r.Failures))
	}
	if notes := bounded(r.Notes); notes != "" {
		setText(m.child("notes"), notes)
	}
	if r.Handoff != nil {
		e := m.child("context-handoff")
		setAttr(e, "from", string(r.Agent))
		setHandoff(e, boundedHandoff(*r.Handoff), window.Full)
	}
	if r.Commit != nil {
		e := m.child("commit")
		addText(e, "hash", r.Commit.Hash)
		addText(e, "message", bounded(r.Commit.Message))
		addText(e, "type", r.Commit.Type)
	}
	return m.writeTo(w)
}

func addFiles(e *etree.Element, files []FileChange) {
	for _, f := range files {
		file := e.CreateElement("file")
		setAttr(file, "action", f.Action)
		setAttr(file, "path", f.Path)
		setText(file, bounded(f.Note))
	}
}

func addChecks(e *etree.Element, checks []Check) {
	for _, c := range checks {
		check := e.CreateElement("check")
		setAttr(check, "name", c.Name)
		setAttr(check, "status", c.Status)
		setAttr(check, "count", c.Count)
		setText(check, bounded(c.Text))
	}
}

func boundedFailures(failures []Failure) []Failure {
	out := make([]Failure, len(failures))
	for i, f := range failures {
		f.Error, f.Fix = bounded(f.Error), bounded(f.Fix)
		out[i] = f
	}
	return out
}

func boundedHandoff(h window.Handoff) window.Handoff {
	return window.Handoff{
		What:       bounded(h.What),
		Why:        bounded(h.Why),
		Caution:    bounded(h.Caution),
		Incomplete: bounded(h.Incomplete),
	}
}

// bounded is a text cleaned and cut to the size that readers keep.
func bounded(s string) string {
	s = window.Clean(s)
	if len(s) <= maxText {
		return s
	}
	return cut(s, maxText)
}

// cutMark ends a text that was cut.
const cutMark = "\n[… cut here]"

// cut keeps the beginning of s, whole characters only, such that it has at
// most size bytes together with cutMark.
func cut(s string, size int) string {
	keep := max(0, size-len(cutMark))
	return strings.TrimSpace(strings.ToValidUTF8(s[:keep], "")) + cutMark
}
