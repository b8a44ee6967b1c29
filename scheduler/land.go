package scheduler

import (
	"context"
	"fmt"

	"github.com/taskpipeline/pipeline/stages"
)

// land returns the work of putting a candidate on the branch, or on the one
// below it. It is not cut off by a cancelled run: it is short, and half of it is
// worse than all of it.
func (u *run) land(a Action) func() error {
	return func() (err error) {
		o := outcome{landing: true}
		defer func() {
			o.err = err
			u.done <- o
		}()
		res := stages.LandingResult{Outcome: string(Landed), Commit: a.Landing.Candidate}
		if u.Lander != nil {
			if res, err = u.Lander.Land(context.WithoutCancel(u.stepCtx), a.Landing); err != nil {
				return fmt.Errorf("%s: landing: %w", a.Task, err)
			}
		}
		o.event = landingEvent(&a.Landing, res)
		return nil
	}
}

func landingEvent(l *stages.Landing, res stages.LandingResult) *Event {
	e := &Event{
		Type: LandingFinished, Task: l.Task, Outcome: Outcome(res.Outcome), Commit: res.Commit, Tree: res.Tree,
		Onto: res.Onto, With: res.With, Paths: res.Paths,
	}
	if e.Outcome == Moved {
		e.With = string(l.Below)
		e.Snapshot = &stages.Snapshot{Tree: res.Tree, Changes: res.Changes}
	}
	return e
}
