package scheduler

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// driver plays a run against a Plan: it takes up actions and ends steps in any
// order and with any outcome, as executors, people and other commits might.
type driver struct {
	t       *rapid.T
	g       *tasks.Graph
	p       *Plan
	jobs    int
	now     time.Time
	record  []Event
	prints  []string // state after each event
	running map[tasks.ID]Step
	starts  map[tasks.ID]int // builders started since the TASK was last granted attempts
	clashes map[tasks.ID]int
	started []tasks.ID
	branch  branch
}

func (d *driver) apply(e Event) {
	d.now = d.now.Add(time.Second)
	e.V, e.Seq, e.Time = Version, int64(len(d.record)+1), d.now
	require.NoError(d.t, d.p.Apply(e))
	d.record = append(d.record, e)
	d.prints = append(d.prints, fingerprint(d.p))
	d.branch.checkFailures(d)
	for c := d.p.Conclusions(); len(c) > 0; c = d.p.Conclusions() {
		d.apply(c[0])
	}
}

// fingerprint is all that can be seen of a plan.
func fingerprint(p *Plan) string {
	var states []any
	for t := range p.graph.All() {
		states = append(states, p.State(t.ID))
		if s := p.State(t.ID); s.State == Running && s.Stage == dispatch.Builder {
			states = append(states, p.Dispatch(Step{Task: t.ID, Stage: s.Stage, Attempt: s.Attempt, Round: s.Round}))
		}
	}
	b, err := json.Marshal([]any{states, p.Next(3), p.Totals(), p.verdict(), p.held, p.running, p.open, p.failed, p.expected, p.locks.holder})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func (d *driver) take(a Action) {
	switch a.Kind {
	case Execute:
		d.started = append(d.started, a.Task)
		base := a.Lease.Base
		if base == "" {
			base = d.branch.tip
		}
		e := Event{Type: StageStarted, Task: a.Task, Stage: a.Step.Stage, Attempt: a.Step.Attempt, Round: a.Step.Round, Base: base}
		d.running[a.Task] = a.Step
		if a.Lease.Mode != stages.Keep {
			d.branch.opened[a.Task] = a.Lease.Tree
		}
		if a.Step.Stage == dispatch.Builder {
			d.starts[a.Task]++
		}
		d.apply(e)
	case RecordWait:
		d.apply(Event{Type: WaitStarted, Task: a.Task, For: a.For})
	case Wait:
		d.apply(Event{Type: WaitEnded, Task: a.Task, For: a.For})
	case Land:
		d.land(a)
	}
}

// end ends a running step somehow.
func (d *driver) end(id tasks.ID) {
	s := d.running[id]
	delete(d.running, id)
	kind := rapid.IntRange(0, 9).Draw(d.t, "outcome")
	if kind == 0 {
		until := d.now.Add(time.Minute)
		d.apply(Event{Type: WaitStarted, Task: id, Stage: s.Stage, Attempt: s.Attempt, Round: s.Round, For: ForRateLimit, Until: &until, State: stages.State(`{"send":1}`)})
		return
	}
	r := &dispatch.Result{Status: dispatch.Pass, Handoff: &window.Handoff{What: s.String(), Why: "because"}}
	e := Event{Type: StageFinished, Task: id, Stage: s.Stage, Attempt: s.Attempt, Round: s.Round, Result: r}
	if kind <= 3 {
		r.Status, e.Reason = dispatch.Fail, "red"
		d.branch.red(d, s)
	} else if s.Stage == dispatch.Builder {
		e.Snapshot = &stages.Snapshot{Tree: stages.Hash("tree of " + s.String())}
	} else if s.Stage == dispatch.Committer {
		e.Commit = d.branch.candidate(d, s)
	} else if s.Round > 1 {
		d.branch.verified[d.branch.opened[id]] = true
	}
	e.Status = r.Status
	d.apply(e)
}

// command tries a person's command on a TASK.
func (d *driver) command(id tasks.ID) {
	e := Event{Type: Command, Task: id, Reason: "said so",
		Verb: rapid.SampledFrom([]Verb{Approve, Reject, RetryIt, Skip}).Draw(d.t, "verb")}
	switch e.Verb {
	case RetryIt:
		e.From = rapid.SampledFrom([]string{"", FromVerifier, FromClean}).Draw(d.t, "from")
	case Reject:
		e.From = rapid.SampledFrom([]string{"", Final}).Draw(d.t, "final")
	}
	if _, ok := d.p.Allows(e); !ok {
		return
	}
	if e.Verb == RetryIt {
		d.starts[id], d.clashes[id] = 0, 0
	}
	d.apply(e)
}

// check holds the plan to its rules in whatever state it is.
func (d *driver) check(actions []Action) {
	held := map[string]tasks.ID{}
	slots := map[tasks.ID]bool{}
	hold := func(id tasks.ID) {
		slots[id] = true
		t, _ := d.g.Get(id)
		for _, l := range t.Locks {
			if other, ok := held[l]; ok && other != id {
				d.t.Fatalf("%s and %s hold the lock %s at once", other, id, l)
			}
			held[l] = id
		}
	}
	for id := range d.running {
		hold(id)
	}
	for _, a := range actions {
		if a.Kind != Execute {
			continue
		}
		if s, ok := d.running[a.Task]; ok {
			d.t.Fatalf("%s is offered while %s is under way", a.Step, s)
		}
		hold(a.Task)
		for _, dep := range mustGet(d.g, a.Task).Deps {
			switch s := d.p.State(dep).State; s {
			case IsLanded, UpToDate, Skipped:
			default:
				d.t.Fatalf("%s is offered while its dependency %s is %s", a.Step, dep, s)
			}
		}
	}
	require.LessOrEqual(d.t, len(slots), d.jobs, "more TASKs than jobs")
	for i := range d.p.nodes {
		if d.p.nodes[i].held {
			slots[d.p.nodes[i].task.ID] = true
		}
	}
	d.checkNobodyIsForgotten(held, len(slots))
	for id, n := range d.starts {
		require.LessOrEqual(d.t, n-d.clashes[id], 3+d.interruptions(id), "%s had too many attempts", id)
	}
}

// checkNobodyIsForgotten holds the plan to its work: a free slot and a TASK that
// could take it, locks and all, never stand side by side.
func (d *driver) checkNobodyIsForgotten(held map[string]tasks.ID, slots int) {
	if d.p.stopped || slots >= d.jobs {
		return
	}
	for i := range d.p.nodes {
		n := &d.p.nodes[i]
		id := n.task.ID
		_, busy := d.running[id]
		if !n.wants() || busy || n.needsApproval() || n.wait != nil && n.wait.what == ForBlocked || d.p.Halted() && !n.begun {
			continue
		}
		free := true
		for _, l := range n.task.Locks {
			other, taken := held[l]
			at, inPlan := d.p.locks.holder[l]
			free = free && (!taken || other == id) && (!inPlan || at == i)
		}
		offered := false
		for _, a := range d.p.Next(d.jobs) {
			offered = offered || a.Kind == Execute && a.Task == id
		}
		if free && !offered {
			d.t.Fatalf("%s could start, and a slot is free, but it is not offered", id)
		}
	}
}

// interruptions counts how often a builder of a TASK had to be begun again
// without a verdict on it.
func (d *driver) interruptions(id tasks.ID) int {
	n := 0
	for i := range d.record {
		e := &d.record[i]
		if e.Task == id && e.Type == WaitStarted && e.Stage == dispatch.Builder {
			n++
		}
		if e.Type == RunJoined {
			n++
		}
	}
	return n
}

func mustGet(g *tasks.Graph, id tasks.ID) tasks.Task {
	t, ok := g.Get(id)
	if !ok {
		panic(id)
	}
	return t
}

// randomGraph draws a graph of up to ten TASKs with locks and approvals.
func randomGraph(t *rapid.T) *tasks.Graph {
	n := rapid.IntRange(1, 10).Draw(t, "n")
	ids := rapid.Permutation(slices.Collect(func(yield func(int) bool) {
		for i := range n {
			if !yield(i + 1) {
				return
			}
		}
	})).Draw(t, "ids")
	list := make([]tasks.Task, n)
	name := func(i int) tasks.ID { return tasks.ID(fmt.Sprintf("TASK-%02d", ids[i])) }
	for i := range list {
		list[i] = tasks.Task{ID: name(i), Title: "t", File: string(name(i)) + ".md", SpecHash: "sha256:1"}
		for j := range i {
			if rapid.IntRange(0, 3).Draw(t, "edge") == 0 {
				list[i].Deps = append(list[i].Deps, name(j))
			}
		}
		list[i].Locks = rapid.SampledFrom([][]string{nil, nil, nil, {"db"}, {"db", "disk"}, {"disk"}}).Draw(t, "locks")
		list[i].Approve = rapid.IntRange(0, 4).Draw(t, "approve") == 0
	}
	g, problems := tasks.NewGraph(list)
	require.Empty(t, problems)
	return g
}

func TestAnyRunKeepsTheRulesAndReplaysToTheSameState(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := randomGraph(t)
		d := &driver{t: t, g: g, p: New(g), jobs: rapid.IntRange(1, 4).Draw(t, "jobs"), now: time.Unix(1e9, 0).UTC(),
			running: map[tasks.ID]Step{}, starts: map[tasks.ID]int{}, clashes: map[tasks.ID]int{}, branch: newBranch()}
		opts := Options{KeepGoing: rapid.Bool().Draw(t, "keep going")}
		d.apply(Event{Type: RunStarted, Session: "s", Work: "WORK-01", Config: &opts, Tasks: Initially(g, Facts{}, Selection{})})
		for range 300 {
			actions := d.p.Next(d.jobs)
			d.check(actions)
			require.Equal(t, actions, d.p.Next(d.jobs), "asking twice gives the same answer")
			if actions[:min(1, len(actions))] == nil && len(d.running) == 0 {
				t.Fatal("nothing to do, nothing under way, and no halt")
			}
			if len(actions) == 1 && actions[0].Kind == Halt && len(d.running) == 0 {
				require.NotEqual(t, Stuck, actions[0].Verdict)
				if actions[0].Verdict == AllDone || rapid.IntRange(0, 2).Draw(t, "end") > 0 {
					break
				}
			}
			d.step(actions)
		}
		for k := range d.record {
			p, err := Replay(g, d.record[:k+1])
			require.NoError(t, err)
			require.Equal(t, d.prints[k], fingerprint(p), "after event %d", k+1)
		}
	})
}

// step lets one thing happen.
func (d *driver) step(actions []Action) {
	switch what := rapid.IntRange(0, 9).Draw(d.t, "what"); {
	case what == 0:
		all := slices.Collect(d.g.All())
		d.command(all[rapid.IntRange(0, len(all)-1).Draw(d.t, "whom")].ID)
	case what == 1 && rapid.IntRange(0, 4).Draw(d.t, "join") == 0:
		clear(d.running)
		d.jobs = rapid.IntRange(1, 4).Draw(d.t, "jobs")
		d.apply(Event{Type: RunJoined, Session: "s"})
	case what <= 5 && len(d.running) > 0:
		var ids []tasks.ID
		for id := range d.running {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		d.end(ids[rapid.IntRange(0, len(ids)-1).Draw(d.t, "which")])
	default:
		if len(actions) > 0 {
			d.take(actions[rapid.IntRange(0, len(actions)-1).Draw(d.t, "action")])
		}
	}
}
