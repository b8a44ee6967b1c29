package scheduler

import (
	"time"

	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// Kind is what an Action asks for.
type Kind int

// The kinds of actions.
const (
	Execute    Kind = iota // perform Step in the workspace that Lease describes
	Land                   // put Task's candidate on the branch
	RecordWait             // record that Task waits for For
	Wait                   // nothing to do for Task before Until
	Halt                   // nothing left to do in this run; Verdict says why
)

// Action is one thing that may be done now. Actions are handed out again until
// an event says that they were taken up, so a Runner skips those under way.
type Action struct {
	Kind        Kind
	Task        tasks.ID
	Step        Step         // Execute
	Lease       stages.Lease // Execute of a builder or verifier; an empty Base means the branch's tip
	ByHand      bool         // Execute of a builder: a person mended the workspace; take it as it is
	Interrupted bool         // Execute: it was cut off, and goes on in its workspace
	Resume      stages.State // Execute: from an earlier wait
	Landing     stages.Landing
	For         WaitFor // RecordWait
	Until       time.Time
	Verdict     Verdict
}

// Verdict is how a run ended.
type Verdict string

// The verdicts.
const (
	AllDone     Verdict = "done"
	SomeFailed  Verdict = "failed"
	Stopped     Verdict = "stopped"
	IsBlocked   Verdict = "blocked"      // landing waits for the user's uncommitted changes
	OverBudget  Verdict = "budget"       // the session may spend no more
	RateLimited Verdict = "rate_limited" // waited longer than Options.MaxWait
	IsWaiting   Verdict = "waiting"      // only approvals are missing
	Stuck       Verdict = "stuck"        // TASKs are left that nothing can start: the record is not whole
)
