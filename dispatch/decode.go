package dispatch

import (
	"fmt"

	"github.com/beevik/etree"

	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// maxWarnings is how many warnings one result carries.
const maxWarnings = 20

// decoder turns elements into values; it keeps the first error and every
// warning. The zero value reads texts of any size.
type decoder struct {
	err      error
	warnings []string
	anySize  bool // texts are not cut at maxText
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

func (d *decoder) warn(format string, args ...any) {
	if len(d.warnings) == maxWarnings {
		return
	}
	d.warnings = append(d.warnings, fmt.Sprintf(format, args...))
}

// only is the child of that name, nil if there is none. Of several the first
// counts.
func (d *decoder) only(parent *etree.Element, tag string) *etree.Element {
	all := parent.SelectElements(tag)
	switch {
	case len(all) == 0:
		return nil
	case len(all) > 1:
		d.warn("<%s> has %d <%s>; the first counts", parent.Tag, len(all), tag)
	}
	return all[0]
}

// text is what an element says, cleaned and cut to the limit.
func (d *decoder) text(e *etree.Element) string {
	if e == nil {
		return ""
	}
	s := window.Clean(e.Text())
	if len(s) > maxText && !d.anySize {
		d.warn("<%s> is %d bytes long and was cut to %d", e.Tag, len(s), maxText)
		s = cut(s, maxText)
	}
	return s
}

func (d *decoder) textOf(parent *etree.Element, tag string) string {
	return d.text(d.only(parent, tag))
}

// children are the elements at path "parent/child", none if there is no parent.
func (d *decoder) children(e *etree.Element, parent, child string) []*etree.Element {
	p := d.only(e, parent)
	if p == nil {
		return nil
	}
	return p.SelectElements(child)
}

func (d *decoder) result(e *etree.Element) Result {
	r := Result{
		Work:    e.SelectAttrValue("work", ""),
		Task:    tasks.ID(e.SelectAttrValue("task", "")),
		Agent:   Stage(e.SelectAttrValue("agent", "")),
		Status:  Status(e.SelectAttrValue("status", "")),
		Summary: d.textOf(e, "summary"),
	}
	for _, file := range d.children(e, "files-changed", "file") {
		r.FilesChanged = append(r.FilesChanged, FileChange{
			Action: file.SelectAttrValue("action", ""),
			Path:   file.SelectAttrValue("path", ""),
			Note:   d.text(file),
		})
	}
	r.SelfCheck = d.checks(d.children(e, "self-check", "check"))
	r.Verification = d.checks(d.children(e, "verification", "check"))
	r.Failures = d.failures(d.children(e, "failure-details", "failure"))
	r.Notes = d.textOf(e, "notes")
	if handoffs := e.SelectElements("context-handoff"); len(handoffs) == 1 {
		h := d.handoff(handoffs[0])
		r.Handoff = &h
	} else if len(handoffs) > 1 {
		d.fail("it has %d context-handoff elements: keep one", len(handoffs))
	}
	if commit := d.only(e, "commit"); commit != nil {
		r.Commit = &Commit{
			Hash:    d.textOf(commit, "hash"),
			Message: d.textOf(commit, "message"),
			Type:    d.textOf(commit, "type"),
		}
	}
	return r
}

func (d *decoder) checks(elements []*etree.Element) []Check {
	var checks []Check
	for _, e := range elements {
		checks = append(checks, Check{
			Name:   e.SelectAttrValue("name", ""),
			Status: e.SelectAttrValue("status", ""),
			Count:  e.SelectAttrValue("count", ""),
			Text:   d.text(e),
		})
	}
	return checks
}

func (d *decoder) failures(elements []*etree.Element) []Failure {
	var failures []Failure
	for _, e := range elements {
		f := Failure{
			Check: e.SelectAttrValue("check", ""),
			Error: d.textOf(e, "error"),
			Fix:   d.textOf(e, "suggested-fix"),
		}
		for _, file := range e.SelectElements("file") {
			if name := d.text(file); name != "" {
				f.Files = append(f.Files, name)
			}
		}
		failures = append(failures, f)
	}
	return failures
}

// handoff reads the four fields; a field that is there twice is an error, since
// neither can be preferred.
func (d *decoder) handoff(e *etree.Element) window.Handoff {
	field := func(tag string) string {
		all := e.SelectElements(tag)
		if len(all) == 0 {
			return ""
		}
		if len(all) > 1 {
			d.fail("its context-handoff has %d <%s>: keep one", len(all), tag)
		}
		return d.text(all[0])
	}
	return window.Handoff{
		What:       field("what"),
		Why:        field("why"),
		Caution:    field("caution"),
		Incomplete: field("incomplete"),
	}
}
