package dispatch

import (
	"io"

	"github.com/beevik/etree"

	"github.com/taskpipeline/pipeline/window"
)

// Encode writes the `<dispatch>` element, ending in a line feed. Texts are
// cleaned (see window.Clean) and escaped; handoffs at DROP are left out. Equal
// dispatches give equal bytes. The only error is the writer's.
func (d Dispatch) Encode(w io.Writer) error {
	m := newMessage("dispatch")
	setAttr(m.root, "to", string(d.To))
	setAttr(m.root, "work", d.Work)
	setAttr(m.root, "task", string(d.Task))
	setNumber(m.root, "attempt", d.Attempt)
	if d.Spec != (Spec{}) {
		addSpec(m.child("task-spec"), d.Spec)
	}
	addHandoffs(m, d.Handoffs)
	if d.Retry != nil {
		addRetry(m.child("retry"), *d.Retry)
	}
	return m.writeTo(w)
}

func addSpec(e *etree.Element, s Spec) {
	addText(e, "file", s.File)
	addText(e, "title", s.Title)
	addText(e, "action", s.Action)
	addText(e, "description", s.Description)
}

// addHandoffs writes those of ancestors into one `<previous-results>`, at the
// place of the first of them, and those of stages beside it.
func addHandoffs(m message, handoffs []Sent) {
	var previous *etree.Element
	for _, s := range handoffs {
		switch {
		case s.Level == window.Drop:
		case s.Task == "":
			addSent(m.child("context-handoff"), s)
		default:
			if previous == nil {
				previous = m.child("previous-results")
			}
			previous.CreateText("\n    ")
			addSent(previous.CreateElement("context-handoff"), s)
		}
	}
	if previous != nil {
		previous.CreateText("\n  ")
	}
}

func addSent(e *etree.Element, s Sent) {
	setAttr(e, "from", s.From)
	setAttr(e, "task", string(s.Task))
	setHandoff(e, s.Handoff, s.Level)
}

func addRetry(e *etree.Element, r Retry) {
	setNumber(e, "attempt", r.Attempt)
	setNumber(e, "of", r.Of)
	setAttr(e, "stage", r.Stage)
	addText(e, "reason", r.Reason)
	if len(r.Failures) > 0 {
		addFailures(e.CreateElement("failure-details"), r.Failures)
	}
	if r.Handoff != nil {
		handoff := e.CreateElement("context-handoff")
		setAttr(handoff, "from", string(Verifier))
		setHandoff(handoff, *r.Handoff, window.Full)
	}
	if r.Progress != nil {
		progress := e.CreateElement("progress")
		setAttr(progress, "file", r.Progress.File)
		setText(progress, r.Progress.Text)
	}
	if r.Conflict != nil {
		addConflict(e, *r.Conflict)
	}
}

func addConflict(e *etree.Element, c Conflict) {
	conflict := e.CreateElement("conflict")
	setAttr(conflict, "with", c.With)
	for _, file := range c.Files {
		addText(conflict, "file", file)
	}
	if c.EarlierDiff != "" {
		setAttr(e.CreateElement("earlier-diff"), "file", c.EarlierDiff)
	}
}
