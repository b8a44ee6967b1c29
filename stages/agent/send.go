package agent

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taskpipeline/pipeline/internal/proc"
	"github.com/taskpipeline/pipeline/stages/agentlog"
)

// keepLog bounds what is kept of a CLI's standard error to find out why it failed.
const keepLog = 64 << 10

// Why a process is ended that does not end by itself.
var (
	errAnswered = errors.New("it has replied")
	errTries    = errors.New("its provider does not answer")
)

// send makes one send and returns what came of it. A session that the CLI does
// not know is replaced by a fresh one, once; one that it knows although it was
// to be made is gone on with, once.
func (c *conversation) send(ctx context.Context, s state) (*said, error) {
	for again := false; ; again = true {
		prompt := s.Text
		if prompt == "" || !c.session.known && s.Kind != first {
			// A fresh session knows nothing of the task.
			prompt = strings.TrimSpace(c.prompt()+"\n\n"+s.Text) + "\n"
		}
		reply, err := c.exchange(ctx, s, prompt)
		if err != nil || again || reply.fault == nil {
			return reply, err
		}
		switch reply.fault.Kind {
		case agentlog.UnknownSession:
			c.forget()
		case agentlog.SessionInUse:
			c.session.known = true
		default:
			return reply, nil
		}
	}
}

// exchange runs the CLI once.
func (c *conversation) exchange(ctx context.Context, s state, prompt string) (*said, error) {
	call := c.callFor(prompt)
	if err := c.book.send(c, s, call); err != nil {
		return nil, err
	}
	if !c.adapter.mints && !c.session.known {
		if err := c.remember(c.session.id); err != nil {
			return nil, err
		}
	}
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	heard := c.listen(cancel)
	end, err := proc.Run(within, proc.Command{
		Argv:   slices.Concat([]string{c.program}, c.adapter.argv(call), c.Args),
		Dir:    c.req.Workspace,
		Env:    append(c.environ(c.adapter.environ(call)), c.req.Environ()...),
		Stdin:  strings.NewReader(call.prompt),
		Stdout: heard.stdout,
		Stderr: heard.stderr,
		Mark:   c.req.Mark(),
		Grace:  c.Grace,
	})
	heard.close()
	if start := (*proc.StartError)(nil); errors.As(err, &start) {
		return nil, err
	}
	answered := errors.Is(err, errAnswered) && ctx.Err() == nil
	gaveUp := errors.Is(err, errTries) && ctx.Err() == nil
	if err != nil && !answered && !gaveUp {
		return nil, c.book.broken(heard, err)
	}
	exit := end.Code() // 0 for one that was ended after its reply
	if gaveUp {
		exit = 1
	}
	reply := heard.said(exit)
	c.spend(heard)
	heard.denied()
	if reply.fault != nil {
		return reply, c.book.faulted(heard, reply.fault)
	}
	c.book.heard = heard
	return reply, heard.err
}

// spend counts what a send has used up.
func (c *conversation) spend(e *ear) {
	e.used = e.usage()
	if t := c.adapter.totals(e.outcome()); t != nil {
		c.total = *t
	}
	c.usage = c.usage.Plus(e.used)
	c.Budget.Spend(e.used)
}

// readOnly is the sandbox that lets an agent change nothing, for every CLI.
const readOnly = "read-only"

// callFor is one use of the CLI.
func (c *conversation) callFor(prompt string) call {
	k := call{
		prompt: prompt, session: c.session.id, resume: c.session.known, model: c.Model,
		readOnly: c.role.readOnly || c.Sandbox == readOnly, workspace: c.req.Workspace, sandbox: c.Sandbox, state: c.inAgentDir("agent_sessions"),
		dirs: c.dirs(),
	}
	switch {
	case c.adapter.system:
		k.system = c.texts.system
	case !c.session.known: // the CLI takes no system prompt: it stands first
		k.prompt = c.texts.system + "\n\n" + prompt
	}
	return k
}

// dirs are the folders outside of the workspace that the agent works with: one
// that may only read finds the diff in its own folder of the session.
func (c *conversation) dirs() []string {
	out := []string{c.req.HandoffDir}
	if c.role.readOnly {
		out = append(out, c.req.AgentDir)
	}
	if dir := filepath.Dir(c.req.Progress); c.req.Progress != "" && !within(c.req.Workspace, dir) {
		out = append(out, dir)
	}
	return slices.DeleteFunc(out, func(dir string) bool { return dir == "" })
}

func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// environ is the environment of the agent: what every stage may see, what its
// adapter needs, what the configuration gives it, what the request says.
func (e Executor) environ(needs []string) []string {
	environ := e.Environ
	if environ == nil {
		environ = os.Environ()
	}
	environ = append(proc.Allowed(environ), needs...)
	for _, key := range slices.Sorted(maps.Keys(e.Env)) {
		environ = append(environ, key+"="+e.Env[key])
	}
	return environ
}

// runTest runs a command in the workspace, for a gate.
func (c *conversation) runTest(ctx context.Context, argv []string) (exit int, output string, err error) {
	kept := &proc.Capture{Limit: keepLog}
	end, err := proc.Run(ctx, proc.Command{
		Argv: argv, Dir: c.req.Workspace, Env: append(c.environ(nil), c.req.Environ()...),
		Stdout: kept, Stderr: kept, Mark: c.req.Mark(), Grace: c.Grace,
	})
	return end.Code(), proc.Tail(kept.Bytes(), 60, 4000), err
}
