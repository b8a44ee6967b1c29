package dispatch

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/beevik/etree"

	"github.com/taskpipeline/pipeline/tasks"
)

// Parse reads a `<dispatch>` element back. It is as strict as ParseResult is
// lenient: the input has to be one well-formed element, as Encode writes it.
// What Encode writes reads back as the same value, cleaned, but for the
// distance of an "ancestor", which is not in the message and reads as 3, and
// for an empty Incomplete of a FULL handoff, which reads as "None".
func Parse(message []byte) (Dispatch, error) {
	doc := etree.NewDocument()
	doc.ReadSettings = etree.ReadSettings{ValidateInput: true, PreserveDuplicateAttrs: true, MaxDepth: maxDepth}
	if err := doc.ReadFromBytes(bytes.TrimSpace(message)); err != nil {
		return Dispatch{}, fmt.Errorf("read the dispatch: %w", err)
	}
	root := doc.Root()
	if root == nil || root.Tag != "dispatch" {
		return Dispatch{}, fmt.Errorf("read the dispatch: its root has to be <dispatch>")
	}
	d := &decoder{anySize: true}
	out := Dispatch{
		To:      Stage(root.SelectAttrValue("to", "")),
		Work:    root.SelectAttrValue("work", ""),
		Task:    tasks.ID(root.SelectAttrValue("task", "")),
		Attempt: d.number(root, "attempt"),
	}
	if spec := d.only(root, "task-spec"); spec != nil {
		out.Spec = Spec{
			File:        d.textOf(spec, "file"),
			Title:       d.textOf(spec, "title"),
			Action:      d.textOf(spec, "action"),
			Description: d.textOf(spec, "description"),
		}
	}
	for _, e := range root.ChildElements() {
		switch e.Tag {
		case "context-handoff":
			out.Handoffs = append(out.Handoffs, d.sent(e))
		case "previous-results":
			for _, h := range e.SelectElements("context-handoff") {
				out.Handoffs = append(out.Handoffs, d.sent(h))
			}
		case "retry":
			out.Retry = d.retry(e)
		}
	}
	if d.err != nil {
		return Dispatch{}, fmt.Errorf("read the dispatch: %w", d.err)
	}
	return out, nil
}

func (d *decoder) number(e *etree.Element, key string) int {
	value := e.SelectAttrValue(key, "0")
	n, err := strconv.Atoi(value)
	if err != nil {
		d.fail("<%s %s=%q> is not a number", e.Tag, key, excerpt(value))
	}
	return n
}

func (d *decoder) sent(e *etree.Element) Sent {
	s := Sent{
		From:    e.SelectAttrValue("from", ""),
		Task:    tasks.ID(e.SelectAttrValue("task", "")),
		Handoff: d.handoff(e),
	}
	if err := s.Level.UnmarshalText([]byte(e.SelectAttrValue("detail-level", ""))); err != nil {
		d.fail("<context-handoff>: detail-level %w", err)
	}
	switch s.From {
	case "prev-task":
		s.Distance = 1
	case "prev-prev-task":
		s.Distance = 2
	case "ancestor":
		s.Distance = 3
	}
	return s
}

func (d *decoder) retry(e *etree.Element) *Retry {
	r := &Retry{
		Attempt:  d.number(e, "attempt"),
		Of:       d.number(e, "of"),
		Stage:    e.SelectAttrValue("stage", ""),
		Reason:   d.textOf(e, "reason"),
		Failures: d.failures(d.children(e, "failure-details", "failure")),
	}
	if handoff := d.only(e, "context-handoff"); handoff != nil {
		h := d.handoff(handoff)
		r.Handoff = &h
	}
	if progress := d.only(e, "progress"); progress != nil {
		r.Progress = &Progress{File: progress.SelectAttrValue("file", ""), Text: d.text(progress)}
	}
	if conflict := d.only(e, "conflict"); conflict != nil {
		r.Conflict = &Conflict{With: conflict.SelectAttrValue("with", "")}
		for _, file := range conflict.SelectElements("file") {
			if name := d.text(file); name != "" {
				r.Conflict.Files = append(r.Conflict.Files, name)
			}
		}
		if diff := d.only(e, "earlier-diff"); diff != nil {
			r.Conflict.EarlierDiff = diff.SelectAttrValue("file", "")
		}
	}
	return r
}
