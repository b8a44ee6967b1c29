package scheduler

import (
	"path"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// Dispatch composes what a step is told: a builder the handoffs of its
// ancestors through the window, and the failure it has to mend; a verifier the
// builder's handoff in full; a committer the verifier's in full and the
// builder's summary. The cost is that of the answer, whatever the graph's size.
func (p *Plan) Dispatch(s Step) dispatch.Dispatch {
	i, ok := p.graph.Index(s.Task)
	if !ok {
		return dispatch.Dispatch{To: s.Stage, Task: s.Task, Attempt: s.Attempt}
	}
	n := &p.nodes[i]
	d := dispatch.Dispatch{
		To: s.Stage, Work: p.work, Task: s.Task, Attempt: s.Attempt,
		Spec: dispatch.Spec{
			File: path.Join(p.folder, n.task.File), Title: n.task.Title,
			Action: actionOf(s.Stage), Description: n.task.Spec,
		},
	}
	switch s.Stage {
	case dispatch.Builder:
		d.Handoffs, d.Retry = p.previous(s.Task), p.mend(n)
	case dispatch.Verifier:
		d.Handoffs = []dispatch.Sent{sent(dispatch.Builder, n.builder, window.Full)}
	case dispatch.Committer:
		d.Handoffs = []dispatch.Sent{
			sent(dispatch.Verifier, n.verifier, window.Full),
			sent(dispatch.Builder, n.builder, window.Summary),
		}
	}
	return d
}

func actionOf(s dispatch.Stage) string {
	switch s {
	case dispatch.Verifier:
		return "verify"
	case dispatch.Committer:
		return "commit"
	}
	return "implement"
}

func sent(from dispatch.Stage, r *dispatch.Result, l window.Level) dispatch.Sent {
	return dispatch.Sent{From: string(from), Level: l, Handoff: handoffOf(r).Trim(l)}
}

// previous are the handoffs of the ancestors that the window lets through,
// nearest first. A skipped TASK hands off nothing.
func (p *Plan) previous(id tasks.ID) []dispatch.Sent {
	var out []dispatch.Sent
	for anc, distance := range p.graph.Ancestors(id, p.opts.Window.Reach()) {
		level := p.opts.Window.At(distance)
		h, ok := p.Handoff(anc)
		if level == window.Drop || !ok {
			continue
		}
		out = append(out, dispatch.Sent{
			From: fromAt(distance), Task: anc, Distance: distance, Level: level, Handoff: h.Trim(level),
		})
	}
	return out
}

func fromAt(distance int) string {
	switch distance {
	case 1:
		return "prev-task"
	case 2:
		return "prev-prev-task"
	}
	return "ancestor"
}

// Handoff is what a TASK that is done sends to those after it.
func (p *Plan) Handoff(id tasks.ID) (window.Handoff, bool) {
	i, ok := p.known(id)
	if !ok || p.nodes[i].handoff == nil {
		return window.Handoff{}, false
	}
	return *p.nodes[i].handoff, true
}

// mend is the `<retry>` of a builder that follows a failure.
func (p *Plan) mend(n *node) *dispatch.Retry {
	f := n.last
	if f == nil {
		return nil
	}
	r := &dispatch.Retry{
		Attempt: n.attempt, Of: p.limit(n), Stage: f.stage, Reason: f.reason,
		Failures: f.details, Handoff: f.handoff, Conflict: f.conflict,
	}
	if f.progress != "" {
		r.Progress = &dispatch.Progress{File: path.Join(p.folder, n.task.ID.ProgressFile()), Text: f.progress}
	}
	return r
}

// Previous is the result that a step goes on from: a verifier's the builder's,
// a builder's that of the stage that failed. It is nil where there is none.
func (p *Plan) Previous(s Step) *dispatch.Result {
	i, ok := p.graph.Index(s.Task)
	if !ok {
		return nil
	}
	n := &p.nodes[i]
	switch {
	case s.Stage == dispatch.Verifier:
		return n.builder
	case s.Stage == dispatch.Builder && n.last != nil:
		return n.last.result
	}
	return nil
}

// limit is the number of the last attempt that a TASK may have as things stand.
func (p *Plan) limit(n *node) int {
	if n.state == IsFailed {
		return n.attempt
	}
	return n.attempt - (n.failures - n.failedIn) + p.opts.attempts() - 1
}

// CommitInput is what the committer of a TASK decides from. The caller adds
// what is not part of the plan: paths, policy and the repository.
func (p *Plan) CommitInput(s Step) stages.CommitInput {
	in := stages.CommitInput{Step: s, Work: p.work, Title: p.title, Session: p.session}
	i, ok := p.graph.Index(s.Task)
	if !ok {
		return in
	}
	n := &p.nodes[i]
	in.Task, in.Base, in.At = *n.task, n.base, n.at
	if n.snapshot != nil {
		in.Snapshot = *n.snapshot
	}
	if n.builder != nil {
		in.Builder = *n.builder
	}
	if n.verifier != nil {
		in.Verifier = *n.verifier
	}
	return in
}
