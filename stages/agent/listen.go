package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/taskpipeline/pipeline/internal/proc"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/agentlog"
)

// ear takes in what one process prints, while it prints it. What stands in raw
// output are whole lines, whichever of its two streams they come from.
type ear struct {
	c      *conversation
	cancel context.CancelCauseFunc
	reader *agentlog.Reader // of a CLI's event stream; nil for a command
	reply  *proc.Capture    // of a command's standard output
	log    *proc.Capture    // of the standard error

	stdout, stderr *lines

	mu     sync.Mutex
	linger *time.Timer // ends a process that has replied
	told   int         // events of evidence so far
	used   stages.Usage
	err    error // the first one of recording
}

// maxTries is how often a CLI may ask a provider that does not answer before it
// is ended: waiting is the pipeline's business, where it holds up nothing else.
const maxTries = 3

// maxTold bounds the tool calls and texts of one send that become events.
const maxTold = 2000

func (c *conversation) listen(cancel context.CancelCauseFunc) *ear {
	e := &ear{c: c, cancel: cancel, log: &proc.Capture{Limit: keepLog}}
	raw := &whole{w: c.req.Sink.Output()}
	if c.CLI == "" {
		e.reply = &proc.Capture{Limit: cmp.Or(c.Limit, defaultLimit)}
		e.stdout = &lines{each: raw.write, too: e.reply}
	} else {
		e.reader = agentlog.NewReader(agentlog.CLI(c.CLI), e.see)
		e.stdout = &lines{each: raw.write, too: e.reader}
	}
	e.stderr = &lines{too: e.log, each: func(line []byte) {
		raw.write(stderrLine(line))
		if agentlog.Retry(agentlog.CLI(c.CLI), string(line)) >= maxTries {
			cancel(errTries)
		}
	}}
	return e
}

// see is told of each event of the stream as it arrives.
func (e *ear) see(event agentlog.Event) {
	switch event.Kind {
	case agentlog.Started:
		if event.SessionID != "" && event.SessionID != e.c.session.id {
			e.keep(e.c.remember(event.SessionID))
		}
	case agentlog.ToolCall:
		e.goesOn()
		input := strings.ReplaceAll(event.Input, e.c.req.Workspace+"/", "")
		e.tell(stages.Evidence{Type: "agent_tool", Text: clip(event.Tool+" "+input, 300), Data: map[string]any{"tool": event.Tool, "input": clip(input, 1000)}})
	case agentlog.Text:
		e.goesOn()
		e.tell(stages.Evidence{Type: "agent_text", Text: clip(event.Text, 2000)})
	case agentlog.Ended:
		e.mu.Lock()
		defer e.mu.Unlock()
		e.linger = time.AfterFunc(cmp.Or(e.c.Linger, defaultLinger), func() { e.cancel(errAnswered) })
	}
}

// goesOn lets a process live that has more to say after its reply.
func (e *ear) goesOn() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.linger != nil {
		e.linger.Stop()
	}
}

// denied tells which tools were not allowed: a claim that something was written
// may rest on one.
func (e *ear) denied() {
	if denied := e.outcome().Denied; len(denied) > 0 {
		e.keep(e.c.req.Sink.Evidence(stages.Evidence{Type: "warning", Text: clip("a tool was not allowed: "+strings.Join(denied, "; "), 1000)}))
	}
}

// tell records evidence, up to a bound.
func (e *ear) tell(ev stages.Evidence) {
	e.told++
	switch {
	case e.told < maxTold:
		e.keep(e.c.req.Sink.Evidence(ev))
	case e.told == maxTold:
		e.keep(e.c.req.Sink.Evidence(stages.Evidence{Type: "warning", Text: fmt.Sprintf("after %d steps of the agent the rest stands in raw_output.jsonl only", maxTold)}))
	}
}

func (e *ear) keep(err error) {
	if err != nil && e.err == nil {
		e.err = err
		e.cancel(err)
	}
}

// close takes in the last lines, which had no end.
func (e *ear) close() {
	e.stdout.close()
	e.stderr.close()
	if e.reader != nil {
		_ = e.reader.Close() // it has nothing to report that Outcome does not
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.linger != nil {
		e.linger.Stop()
	}
}

// outcome is what the stream came to; for a command, its whole output.
func (e *ear) outcome() agentlog.Outcome {
	if e.reader != nil {
		return e.reader.Outcome()
	}
	return agentlog.Outcome{Final: string(e.reply.Bytes()), Ended: true}
}

// said is how the send ended. A reply counts only if the stream came to its
// end, holds no error, and the process agrees.
func (e *ear) said(exit int) *said {
	o := e.outcome()
	s := &said{text: o.Final}
	if e.reader != nil {
		s.fault = agentlog.Diagnose(agentlog.CLI(e.c.CLI), o, string(e.log.Bytes()), exit)
	} else if exit == busy {
		s.fault = &agentlog.Fault{Kind: agentlog.Overloaded, Message: cmp.Or(proc.Tail(e.log.Bytes(), 3, 500), "it asks to come again later")}
	} else if exit != 0 {
		s.fault = &agentlog.Fault{Kind: agentlog.Other, Message: strings.TrimSpace(fmt.Sprintf("exit status %d\n%s", exit, e.log.Bytes()))}
	}
	if s.fault != nil {
		s.fault.Message = clip(proc.Tail([]byte(s.fault.Message), 20, 2000), 1000)
	}
	return s
}

// busy is the exit status by which a command asks to come again later
// (EX_TEMPFAIL of sysexits).
const busy = 75

// printed is the end of what the process said, for whoever looks into a failure.
func (e *ear) printed() []byte {
	if said := e.log.Bytes(); len(said) > 0 {
		return said
	}
	return []byte(e.outcome().Final)
}

// stderrLine is a line of standard error as raw output holds it.
func stderrLine(line []byte) []byte {
	b, err := json.Marshal(struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}{"stderr", string(line)})
	if err != nil {
		return nil // plain data
	}
	return b
}

// whole writes whole lines of several streams to one writer.
type whole struct {
	mu sync.Mutex
	w  io.Writer
}

func (w *whole) write(line []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = w.w.Write(append(line, '\n')) // what exceeds the limit is dropped and counted there
}

// maxLine is the length from which a line is passed on in pieces, in bytes.
const maxLine = 16 << 20

// lines cuts what is written into lines and hands each of them on.
type lines struct {
	each func([]byte)
	too  io.Writer // gets all bytes as they come
	rest []byte
}

func (l *lines) Write(p []byte) (int, error) {
	n := len(p)
	_, _ = l.too.Write(p) // neither of the two kinds of it fails
	for {
		line, rest, whole := bytes.Cut(p, []byte("\n"))
		l.rest = append(l.rest, line...)
		if whole || len(l.rest) > maxLine {
			l.flush()
		}
		if p = rest; !whole {
			return n, nil
		}
	}
}

func (l *lines) flush() {
	l.each(l.rest)
	l.rest = l.rest[:0]
}

// close hands on a last line that had no end.
func (l *lines) close() {
	if len(l.rest) > 0 {
		l.flush()
	}
}
