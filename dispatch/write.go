package dispatch

import (
	"fmt"
	"io"
	"strconv"

	"github.com/beevik/etree"

	"github.com/taskpipeline/pipeline/window"
)

// message is an XML message under construction.
type message struct {
	doc  *etree.Document
	root *etree.Element
}

func newMessage(tag string) message {
	doc := etree.NewDocument()
	doc.WriteSettings = etree.WriteSettings{CanonicalText: true, CanonicalAttrVal: true}
	return message{doc: doc, root: doc.CreateElement(tag)}
}

// child starts an element on a line of its own, below the root.
func (m message) child(tag string) *etree.Element {
	m.root.CreateText("\n  ")
	return m.root.CreateElement(tag)
}

func (m message) writeTo(w io.Writer) error {
	if len(m.root.Child) > 0 {
		m.root.CreateText("\n")
	}
	m.doc.CreateText("\n")
	if _, err := m.doc.WriteTo(w); err != nil {
		return fmt.Errorf("write the %s: %w", m.root.Tag, err)
	}
	return nil
}

// setAttr adds an attribute unless its value is empty.
func setAttr(e *etree.Element, key, value string) {
	if value != "" {
		e.CreateAttr(key, window.Printable(value))
	}
}

func setNumber(e *etree.Element, key string, n int) {
	if n != 0 {
		e.CreateAttr(key, strconv.Itoa(n))
	}
}

// setText gives an element its text; an empty one leaves the element empty.
func setText(e *etree.Element, s string) {
	if s = window.Clean(s); s != "" {
		e.CreateText(s)
	}
}

// addText adds a text element unless its text is empty.
func addText(parent *etree.Element, tag, s string) {
	if s = window.Clean(s); s != "" {
		parent.CreateElement(tag).CreateText(s)
	}
}

// setHandoff writes the fields that travel at a level. A FULL handoff always
// shows all four, so that a reader sees that nothing was held back.
func setHandoff(e *etree.Element, h window.Handoff, level window.Level) {
	e.CreateAttr("detail-level", level.String())
	setText(e.CreateElement("what"), h.What)
	if level != window.Full {
		return
	}
	setText(e.CreateElement("why"), h.Why)
	setText(e.CreateElement("caution"), h.Caution)
	incomplete := window.Clean(h.Incomplete)
	if incomplete == "" {
		incomplete = "None"
	}
	setText(e.CreateElement("incomplete"), incomplete)
}

func addFailures(e *etree.Element, failures []Failure) {
	for _, f := range failures {
		failure := e.CreateElement("failure")
		setAttr(failure, "check", f.Check)
		addText(failure, "error", f.Error)
		for _, file := range f.Files {
			addText(failure, "file", file)
		}
		addText(failure, "suggested-fix", f.Fix)
	}
}
