package dispatch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/beevik/etree"

	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// ErrInvalid is wrapped by every error of ParseResult: the output holds no
// verdict that counts.
var ErrInvalid = errors.New("no valid task-result")

// ParseResult finds and reads the verdict in a stage's whole output.
//
// The last complete `<task-result>` counts, wherever it stands: in prose, in a
// Markdown fence, between terminal colours. It is never rescued by an earlier
// one, and a later one that is cut off leaves the output without verdict. A
// result quoted inside a text of another belongs to that text. Texts tolerate
// raw `&` and `<`, markup is kept as it stands, and nothing but the five named
// references and numeric ones is decoded.
//
// The error wraps ErrInvalid and says why: no element, a missing, repeated or
// unknown status, a task or agent other than e names, a PASS without a
// context-handoff that says what was done, two handoffs, or a size over the
// limits. An output is never read as the PASS of another TASK or stage. Zero
// fields of e are not checked. In the Result, Work, Task and Agent are those
// of e where e has them; Warnings say what reading it tolerated.
func ParseResult(output []byte, e Expect) (Result, error) {
	element, flaw, err := newScanner(stripANSI(output)).last()
	switch {
	case err != nil:
		return Result{}, invalid(err)
	case flaw != nil:
		return Result{}, invalid(flaw)
	case element == nil:
		return Result{}, invalid(fmt.Errorf("there is no complete <%s> element in %d bytes of output: end the reply with one", resultTag, len(output)))
	}
	d := &decoder{}
	r := d.result(element)
	if d.err == nil {
		d.check(&r, element, e)
	}
	if d.err != nil {
		return Result{}, invalid(d.err)
	}
	r.Warnings = d.warnings
	return r, nil
}

func invalid(why error) error { return fmt.Errorf("%w: %w", ErrInvalid, why) }

// check holds the result against who was asked, and fills in what it left out.
func (d *decoder) check(r *Result, element *etree.Element, e Expect) {
	status := element.SelectAttr("status")
	switch {
	case status == nil:
		d.fail("it has no status: write status=\"PASS\" or status=\"FAIL\"")
		return
	case strings.EqualFold(status.Value, string(Pass)):
		r.Status = Pass
	case strings.EqualFold(status.Value, string(Fail)):
		r.Status = Fail
	default:
		d.fail("its status is %q: write PASS or FAIL", excerpt(status.Value))
		return
	}
	if task := element.SelectAttr("task"); task != nil {
		id, ok := tasks.ParseID(task.Value)
		if !ok || e.Task != "" && id != e.Task {
			d.fail("it names the TASK %q, asked was %s", excerpt(task.Value), e.Task)
			return
		}
		r.Task = id
	}
	if agent := element.SelectAttr("agent"); agent != nil {
		if agent.Value == "" || e.Agent != "" && !strings.EqualFold(agent.Value, string(e.Agent)) {
			d.fail("it names the stage %q, asked was %s", excerpt(agent.Value), e.Agent)
			return
		}
	}
	if e.Work != "" && r.Work != "" && r.Work != e.Work {
		d.warn("work=%q is another work; read as %s", excerpt(r.Work), e.Work)
	}
	d.checkHandoff(r, element, e)
	r.Work, r.Task, r.Agent = orElse(e.Work, r.Work), orElse(e.Task, r.Task), orElse(e.Agent, r.Agent)
}

func (d *decoder) checkHandoff(r *Result, element *etree.Element, e Expect) {
	if r.Status == Pass {
		switch {
		case r.Handoff == nil:
			d.fail("it is a PASS without context-handoff: say what was done")
		case r.Handoff.What == "":
			d.fail("it is a PASS whose context-handoff has an empty what: say what was done")
		}
	}
	if r.Handoff == nil || e.Agent == "" {
		return
	}
	from := element.SelectElement("context-handoff").SelectAttrValue("from", string(e.Agent))
	if !strings.EqualFold(from, string(e.Agent)) {
		d.warn("its context-handoff is from %q; read as from %s", excerpt(from), e.Agent)
	}
}

func orElse[T comparable](first, second T) T {
	var zero T
	if first != zero {
		return first
	}
	return second
}

// excerpt is an attribute short enough for a message.
func excerpt(s string) string {
	const most = 60
	if s = window.Clean(s); len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
