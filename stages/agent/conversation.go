package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/agentlog"
	"github.com/taskpipeline/pipeline/stages/envelope"
)

// formFixes is how often the form of a reply is corrected before gates have
// anything to say, and again after each correction of what they found.
const formFixes = 2

// conversation is one step of an agent: a prompt, and what follows from its
// replies.
type conversation struct {
	Executor
	program string
	adapter adapter
	req     stages.Request
	role    role
	gates   []envelope.Gate
	asked   string // what is wanted, if it is not a TASK

	texts   texts // the prompt's parts
	book    *book
	session session
	usage   stages.Usage
	total   total // what the agent's session had used up before the next send
}

// said is how one send ended: the agent's final text, or the fault.
type said struct {
	text  string
	fault *agentlog.Fault
}

// converse holds the conversation to its end: a verdict, or a Wait.
func (c *conversation) converse(ctx context.Context) (stages.Response, error) {
	s, reply, err := c.opening()
	if err != nil {
		return stages.Response{}, err
	}
	if !c.adapter.tellsUSD && c.Budget.Unmeasured(c.codingAgent()) {
		text := fmt.Sprintf("budget.usd does not bound %s, which does not say what it costs; budget.tokens does", cmp.Or(c.CLI, c.Name))
		if c.CLI == "" {
			text = fmt.Sprintf("no budget bounds %s: a command does not say what it uses up", c)
		}
		if err := c.req.Sink.Evidence(stages.Evidence{Type: "warning", Text: text}); err != nil {
			return stages.Response{}, err
		}
	}
	for {
		if reply == nil {
			if over := c.Budget.Over(); over != "" {
				return stages.Response{Wait: &stages.Wait{Budget: true, Reason: over, State: s.encode()}}, nil
			}
			if reply, err = c.send(ctx, s); err != nil {
				return c.cutOff(err), err
			}
		}
		if f := reply.fault; f != nil {
			return c.faulted(s, f)
		}
		a := c.read(reply)
		if err := c.check(ctx, &a); err != nil {
			return stages.Response{}, err
		}
		if err := c.book.replied(c, &a); err != nil {
			return stages.Response{}, err
		}
		next, verdict, err := c.judge(ctx, s, &a)
		if err != nil || verdict != nil {
			return orNone(verdict), err
		}
		s, reply = *next, nil
	}
}

func orNone(r *stages.Response) stages.Response {
	if r == nil {
		return stages.Response{}
	}
	return *r
}

// opening is what to send first, or a reply that is already there.
func (c *conversation) opening() (state, *said, error) {
	s := state{Kind: first}
	switch {
	case c.req.Interrupted && c.session.known:
		reply, err := c.book.unheard(c)
		return state{Kind: interrupted, Text: interruptedText(c), Why: "goes on where it was cut off"}, reply, err
	case c.req.Interrupted:
		return s, nil, nil
	case c.req.Resume != nil:
		if err := json.Unmarshal(c.req.Resume, &s); err != nil {
			return s, nil, fmt.Errorf("the state of an earlier wait: %w", err)
		}
	}
	return s, nil, nil
}

// judge decides on a reply: the next send, or the verdict.
func (c *conversation) judge(ctx context.Context, s state, a *answer) (*state, *stages.Response, error) {
	switch {
	case a.err != nil && s.Fixes < formFixes:
		return &state{Kind: fix, Text: fixText(c, a.err), Why: "is corrected: " + clip(a.err.Error(), 300), Fixes: s.Fixes + 1, GateFixes: s.GateFixes}, nil, nil
	case a.err != nil:
		v := stages.Failed(fmt.Sprintf("%s never produced %s: %v", c.role.name, c.what(), a.err),
			dispatch.Failure{Check: "reply", Error: tail(a.text)})
		return nil, &v, nil
	case a.result.Status == dispatch.Fail && !a.reviewed():
		return nil, c.verdict(a), nil
	}
	if refused := a.violations(); len(refused) > 0 {
		if s.GateFixes < c.Retries {
			return &state{Kind: byGates, Text: gateText(c, refused), Why: "is corrected: " + clip(inLine(refused), 300), GateFixes: s.GateFixes + 1}, nil, nil
		}
		v := stages.Failed(fmt.Sprintf("%s failed gates after %d attempt(s): %s", c.role.name, s.GateFixes+1, inLine(refused)), failures(refused)...)
		v.Handoff = a.result.Handoff
		return nil, &v, nil
	}
	v := c.verdict(a)
	if v.Status == dispatch.Pass && c.role.output == envelope.Build {
		if err := c.declare(a, v); err != nil {
			return nil, nil, err
		}
	}
	return nil, v, nil
}

// verdict is the response that a valid reply stands for.
func (c *conversation) verdict(a *answer) *stages.Response {
	return &stages.Response{Result: a.result, Printed: a.printed}
}

// faulted is what becomes of a send that brought no reply.
func (c *conversation) faulted(s state, f *agentlog.Fault) (stages.Response, error) {
	switch f.Kind {
	case agentlog.Refused:
		return stages.Response{}, fmt.Errorf("the provider refused the request: %s; look at the model, the credentials and the version of the CLI", f.Message)
	case agentlog.RateLimited, agentlog.Overloaded:
		s.Refused++
		return stages.Response{Wait: &stages.Wait{Until: c.retryAt(f, s.Refused), Reason: f.Message, State: s.encode()}}, nil
	}
	return stages.Failed(f.Message, dispatch.Failure{Check: "agent", Error: f.Message}), nil
}

// Waits whose end the provider does not tell begin with this, and double.
const (
	firstWait = 30 * time.Second
	mostWait  = 15 * time.Minute
)

// retryAt is when to come again.
func (c *conversation) retryAt(f *agentlog.Fault, refused int) time.Time {
	now := time.Now()
	switch {
	case f.Until.After(now):
		return f.Until
	case f.After > 0:
		return now.Add(f.After)
	}
	wait := firstWait
	for i := 1; i < refused && wait < mostWait; i++ {
		wait *= 2
	}
	return now.Add(min(wait, mostWait))
}

// cutOff is what is known of a step that did not come to its end.
func (c *conversation) cutOff(err error) stages.Response {
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return stages.Response{}
	}
	return stages.Failed("", dispatch.Failure{Check: "agent", Error: c.book.last()})
}
