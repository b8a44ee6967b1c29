package cli

import (
	"bytes"
	"encoding/json"

	"github.com/taskpipeline/pipeline/internal/config"
	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/agent"
)

// budgetOf is a session's budget, with what its record says is used up.
func budgetOf(c config.Config, past []scheduler.Event) *agent.Budget {
	b := &agent.Budget{USD: c.Budget.USD, Tokens: c.Budget.Tokens}
	b.Spend(usedUp(past))
	return b
}

// usedUp is what the executors of a session have used up.
func usedUp(past []scheduler.Event) stages.Usage {
	var s spending
	for i := range past {
		s.add(&past[i])
	}
	return s.sum
}

// spentBy is usedUp for a session whose record was not read. Where it does not
// hold, it is what was used up before.
func spentBy(s *session.Session) stages.Usage {
	var all spending
	for e, err := range s.Picked(tellsOfUsage) {
		if err != nil {
			break
		}
		all.add(&e)
	}
	return all.sum
}

// tellsOfUsage reports whether a line of a record may matter to a spending.
func tellsOfUsage(line []byte) bool {
	return bytes.Contains(line, []byte(`"usage":`)) || bytes.Contains(line, []byte(`"type":"`+scheduler.AgentReplied))
}

// spending sums what executors have used up. Each send of an agent is on record
// when it ends, so that a step which was cut off counts as well; a step without
// such sends counts by its end.
type spending struct {
	sum  stages.Usage
	told map[scheduler.Step]bool // steps whose agent tells of each send
}

func (s *spending) add(e *scheduler.Event) {
	step := scheduler.Step{Task: e.Task, Stage: e.Stage, Attempt: e.Attempt, Round: e.Round}
	switch e.Type {
	case scheduler.AgentReplied:
		if s.told == nil {
			s.told = map[scheduler.Step]bool{}
		}
		s.sum = s.sum.Plus(usageOf(e.Data))
		s.told[step] = true
	case scheduler.StageFinished, scheduler.WaitStarted:
		if e.Usage != nil && !s.told[step] {
			s.sum = s.sum.Plus(*e.Usage)
		}
	}
}

// usageOf reads what an agent's reply says it used up; nothing if it says none.
func usageOf(data map[string]any) stages.Usage {
	u := stages.Usage{Sends: 1}
	if b, err := json.Marshal(data); err == nil {
		_ = json.Unmarshal(b, &u) // fields of another type say nothing
	}
	return u
}
