package scheduler

import (
	"fmt"

	"github.com/taskpipeline/pipeline/dispatch"
)

// RecordError says that an event does not follow from those before it.
type RecordError struct {
	Seq    int64 // the event's number, which is its line in events.jsonl
	Event  string
	Reason string
}

func (e *RecordError) Error() string {
	return fmt.Sprintf("event %d (%s): %s", e.Seq, e.Event, e.Reason)
}

// Apply folds one event into the plan. It is the only thing that changes a
// Plan. An event that cannot follow from those before it is a *RecordError and
// changes nothing; unknown types are ignored, as is evidence.
func (p *Plan) Apply(e Event) error {
	if reason := p.apply(&e); reason != "" {
		name := string(e.Type)
		if e.Task != "" {
			name += " " + string(e.Task)
		}
		return &RecordError{Seq: e.Seq, Event: name, Reason: reason}
	}
	if e.Seq > p.seq {
		p.seq = e.Seq
	}
	return nil
}

func (p *Plan) apply(e *Event) (refused string) {
	switch e.Type {
	case RunStarted:
		return p.runStarted(e)
	case RunJoined:
		return p.runJoined(e)
	case TaskStarted, TaskLanded, TaskFailed, TaskSkipped, RunHalted, RunFinished:
		return p.concluded(e)
	case TaskRespecified:
		return p.respecified(e)
	case Command:
		if e.Verb == Stop {
			p.stopped = true
			return ""
		}
	case StageStarted, StageFinished, LandingFinished, WaitStarted, WaitEnded:
	default:
		return ""
	}
	if p.gone[e.Task] {
		return ""
	}
	i, ok := p.graph.Index(e.Task)
	if !ok {
		return fmt.Sprintf("there is no TASK %q in this run", e.Task)
	}
	switch e.Type {
	case StageStarted:
		return p.stageStarted(i, e)
	case StageFinished:
		return p.stageFinished(i, e)
	case LandingFinished:
		return p.landingFinished(i, e)
	case WaitStarted:
		return p.waitStarted(i, e)
	case WaitEnded:
		return p.waitEnded(i, e)
	}
	return p.commanded(i, e)
}

// runStarted takes over the TASKs of a run and how each of them stands.
func (p *Plan) runStarted(e *Event) string {
	if p.started {
		return "the run was started before"
	}
	p.started = true
	p.session, p.work, p.title, p.folder, p.branch = e.Session, e.Work, e.Title, e.Folder, e.Branch
	if e.Config != nil {
		p.opts = *e.Config
	}
	for k := range e.Tasks {
		s := &e.Tasks[k]
		if i, ok := p.graph.Index(s.ID); ok {
			p.enter(i, s)
		} else {
			p.gone[s.ID] = true
		}
	}
	for i := range p.nodes {
		if p.nodes[i].wants() {
			p.line(i)
		}
	}
	return ""
}

// enter sets a TASK to the state in which it comes into the run.
func (p *Plan) enter(i int, s *TaskSpec) {
	n := &p.nodes[i]
	n.initial, n.why, n.hash, n.approve = s.State, s.Reason, s.Hash, s.Approve
	n.commit, n.handoff, n.doneAgain = s.Commit, s.Handoff, s.Again
	switch s.State {
	case AsDone:
		n.state = UpToDate
		p.satisfy(i)
	case AsNew, AsStale:
		n.state, n.stage, n.attempt, n.round = Pending, dispatch.Builder, 1, 1
		p.open++
	}
}

// satisfy tells the dependents of a TASK that they need not wait for it.
func (p *Plan) satisfy(i int) {
	for _, d := range p.graph.Dependents(i) {
		n := &p.nodes[d]
		n.unmet--
		if n.unmet == 0 && n.state == Pending {
			p.line(d)
		}
	}
}

// runJoined begins another run of the session: no step is under way, no slot
// is taken, every wait but for approval is over.
func (p *Plan) runJoined(e *Event) string {
	if !p.started {
		return "no run was started before it"
	}
	if e.Config != nil {
		p.opts = *e.Config
	}
	for k := range e.Tasks {
		if i, ok := p.graph.Index(e.Tasks[k].ID); ok {
			p.nodes[i].approve = e.Tasks[k].Approve
		}
	}
	p.stopped, p.behind = false, nil
	p.held, p.running = 0, 0
	p.order, p.locks = ready{ticket: p.order.ticket}, locks{}
	p.going, p.asking, p.stack, p.waits = nil, nil, nil, nil
	for i := range p.nodes {
		n := &p.nodes[i]
		n.cut = n.cut || n.running && n.continues
		n.held, n.running, n.warm, n.queued, n.waited = false, false, false, 0, 0
		if n.state == Waiting && n.wait.what != ForApproval {
			n.state = Running
		}
		switch {
		case n.state == Running && n.needsApproval():
			p.asking = append(p.asking, i)
		case n.state == Running:
			p.enqueue(i)
		case n.wants():
			p.line(i)
		}
	}
	p.sortStack()
	return ""
}

// respecified takes over what a later reading of the tasks folder found.
func (p *Plan) respecified(e *Event) string {
	if e.Spec == nil {
		return "it names no TASK"
	}
	s := e.Spec
	i, ok := p.graph.Index(s.ID)
	if !ok {
		p.gone[s.ID] = true
		return ""
	}
	n := &p.nodes[i]
	if n.running {
		return "the TASK is being worked on"
	}
	done := n.state == IsLanded || n.state == UpToDate || n.state == Skipped
	if s.Removed && done {
		return "" // what it has done stays done
	}
	p.leave(i)
	if done {
		p.unsatisfy(i)
	}
	*n = node{task: n.task, unmet: n.unmet}
	if s.Removed {
		p.gone[s.ID] = true
		return ""
	}
	delete(p.gone, s.ID)
	p.enter(i, s)
	if n.wants() {
		p.line(i)
	}
	return ""
}

// unsatisfy tells the dependents of a TASK that they have to wait for it after
// all. Those that have begun go on.
func (p *Plan) unsatisfy(i int) {
	for _, d := range p.graph.Dependents(i) {
		n := &p.nodes[d]
		n.unmet++
		if n.state == Pending && n.queued != 0 {
			n.queued = 0
			p.pass(d)
		}
	}
}

// leave takes a TASK out of all queues and counts, whatever it was doing.
func (p *Plan) leave(i int) {
	n := &p.nodes[i]
	switch n.state {
	case Pending, Running, Waiting:
		p.open--
	case IsFailed:
		p.failed--
	}
	n.state = Outside // so that no line for a lock comes back to it
	p.unqueue(i)
	p.freeSlot(i)
	p.freeLocks(i)
	p.pass(i)
}
