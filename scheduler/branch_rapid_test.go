package scheduler

import (
	"fmt"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// branch is what a driver's run lands on. Other people commit there, too.
type branch struct {
	tip      stages.Hash
	landed   map[stages.Hash]bool
	parents  map[stages.Hash]stages.Hash // of candidates
	verified map[stages.Hash]bool        // candidates whose tree has passed
	opened   map[tasks.ID]stages.Hash    // what the TASK's workspace was last made to hold
	reds     map[tasks.ID]stages.Hash    // what the last red tree of a restacked TASK stood on
	failures map[tasks.ID]int
	people   int
}

func newBranch() branch {
	return branch{
		tip: "start", landed: map[stages.Hash]bool{"start": true}, parents: map[stages.Hash]stages.Hash{},
		verified: map[stages.Hash]bool{}, opened: map[tasks.ID]stages.Hash{}, reds: map[tasks.ID]stages.Hash{}, failures: map[tasks.ID]int{},
	}
}

func (b *branch) move(to stages.Hash) {
	b.tip = to
	b.landed[to] = true
}

// candidate makes the commit of a committer's step.
func (b *branch) candidate(d *driver, s Step) stages.Hash {
	base := d.p.State(s.Task).Base
	h := stages.Hash(fmt.Sprintf("commit of %s on (%s)", s, base))
	b.parents[h] = base
	b.verified[h] = s.Round <= 1 // its tree is the snapshot that the verifier has passed
	return h
}

func (b *branch) red(d *driver, s Step) {
	delete(b.reds, s.Task)
	if s.Round > 1 {
		b.reds[s.Task] = d.p.State(s.Task).Base
	}
}

// checkFailures wants no attempt to be used up by a tree that holds something
// that has not landed.
func (b *branch) checkFailures(d *driver) {
	for t := range d.g.All() {
		n := d.p.State(t.ID).Failures
		if base, red := b.reds[t.ID]; red && n > b.failures[t.ID] {
			require.True(d.t, b.landed[base], "%s failed for a tree on %s, which has not landed", t.ID, base)
			delete(b.reds, t.ID)
		}
		b.failures[t.ID] = n
	}
}

// land does what a lander does, with whatever outcome the branch allows.
func (d *driver) land(a Action) {
	b, l := &d.branch, a.Landing
	e := Event{Type: LandingFinished, Task: a.Task}
	kind := rapid.IntRange(0, 9).Draw(d.t, "landing")
	if kind == 9 {
		b.people++
		b.move(stages.Hash(fmt.Sprintf("somebody's commit %d", b.people)))
	}
	switch {
	case l.Onto != "" && kind == 0:
		e.Outcome, e.Onto, e.With, e.Paths = Unfit, l.Onto, string(l.Below), []string{"a"}
	case l.Onto != "":
		e.Outcome, e.Onto, e.With, e.Tree = Moved, l.Onto, string(l.Below), "merged"
	case l.Unverified || l.Base != b.tip:
		if kind == 0 {
			e.Outcome, e.Onto, e.With, e.Paths = Conflict, b.tip, "TASK-99", []string{"a"}
			d.clashes[a.Task]++
		} else {
			e.Outcome, e.Onto, e.Tree = Moved, b.tip, "merged"
		}
	case kind == 0:
		e.Outcome, e.Paths = Blocked, []string{"b"}
	default:
		require.True(d.t, b.verified[l.Candidate], "%s would land unverified", a.Task)
		require.Equal(d.t, b.tip, b.parents[l.Candidate], "%s would land on something else than it was verified on", a.Task)
		e.Outcome, e.Commit = Landed, l.Candidate
		b.move(l.Candidate)
	}
	d.apply(e)
}
