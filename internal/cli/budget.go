package cli

import (
	"encoding/json"

	"github.com/taskpipeline/pipeline/internal/config"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/agent"
	"github.com/taskpipeline/pipeline/tasks"
)

// budgetOf is a session's budget, with what its record says is used up.
func budgetOf(c config.Config, past []scheduler.Event) *agent.Budget {
	b := &agent.Budget{USD: c.Budget.USD, Tokens: c.Budget.Tokens}
	b.Spend(usedUp(past))
	return b
}

// usedUp sums what the executors of a session have used up. Each send of an
// agent is on record when it ends, so that a step which was cut off counts as
// well; a stage without such sends counts by its end.
func usedUp(past []scheduler.Event) stages.Usage {
	var sum stages.Usage
	sent := map[tasks.ID]bool{} // whether the TASK's stage has told of sends since it began or went on
	for _, e := range past {
		switch e.Type {
		case scheduler.AgentReplied:
			sum = sum.Plus(usageOf(e.Data))
			sent[e.Task] = true
		case scheduler.StageFinished, scheduler.WaitStarted:
			if e.Usage != nil && !sent[e.Task] {
				sum = sum.Plus(*e.Usage)
			}
			delete(sent, e.Task)
		}
	}
	return sum
}

// usageOf reads what an agent's reply says it used up; nothing if it says none.
func usageOf(data map[string]any) stages.Usage {
	u := stages.Usage{Sends: 1}
	if b, err := json.Marshal(data); err == nil {
		_ = json.Unmarshal(b, &u) // fields of another type say nothing
	}
	return u
}
