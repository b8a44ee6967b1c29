package script

import (
	"fmt"
	"strings"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/internal/proc"
	"github.com/taskpipeline/pipeline/stages"
)

// answer is a result of this step, with nothing in it yet.
func answer(req stages.Request, status dispatch.Status) dispatch.Result {
	return dispatch.Result{Work: req.Dispatch.Work, Task: req.Step.Task, Agent: req.Step.Stage, Status: status}
}

// check is the outcome of a fence as a reader of result.md sees it: the last
// line it printed, which is often a sum, or how it failed.
func (o outcome) check() dispatch.Check {
	if o.end.OK() {
		last := strings.TrimPrefix(proc.Tail(o.output, 1, 200), proc.Cut)
		return dispatch.Check{Name: o.command, Status: string(dispatch.Pass), Text: last}
	}
	return dispatch.Check{Name: o.command, Status: string(dispatch.Fail), Text: o.end.String()}
}

// failure is what a builder is told of a fence that failed or was cut off.
func (o outcome) failure(reason string) dispatch.Failure {
	return dispatch.Failure{Check: o.command, Error: proc.WithLast(reason+" at "+o.place, o.output)}
}

// cutOff is what is known of a stage that did not come to its end.
func cutOff(req stages.Request, o outcome) stages.Response {
	result := answer(req, "")
	result.Failures = []dispatch.Failure{o.failure("cut off")}
	return stages.Response{Result: result}
}

// list is a first line and up to three commands below it: a handoff's `what`
// is meant to be short.
func list(first string, commands []string) string {
	const most = 3
	var b strings.Builder
	b.WriteString(first)
	for i, command := range commands {
		if i == most {
			fmt.Fprintf(&b, "\nand %d more", len(commands)-most)
			break
		}
		fmt.Fprintf(&b, "\n- `%s`", short(command))
	}
	return b.String()
}
