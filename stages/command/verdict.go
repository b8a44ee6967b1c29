package command

import (
	"bytes"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/internal/proc"
	"github.com/taskpipeline/pipeline/stages"
)

// transcript is what a process said.
type transcript struct{ reply, log *proc.Capture }

// telling is the log or, if it is empty, the reply.
func (t transcript) telling() []byte {
	if said := t.log.Bytes(); len(bytes.TrimSpace(said)) > 0 {
		return said
	}
	return t.reply.Bytes()
}

// judge turns the end of a process into a verdict.
func judge(req stages.Request, end proc.Ending, said transcript) stages.Response {
	result, err := dispatch.ParseResult(said.reply.Bytes(), expected(req))
	switch {
	case !end.OK() && (err != nil || result.Status == dispatch.Pass):
		return failed(req, end.String(), result, said)
	case err != nil:
		return failed(req, err.Error(), dispatch.Result{}, said)
	}
	resp := stages.Response{
		Result:  result,
		Usage:   stages.Usage{Sends: 1},
		Printed: dispatch.Printed(said.reply.Bytes(), result, expected(req)),
	}
	if resp.Status == dispatch.Fail && resp.Summary == "" {
		resp.Summary = "it said FAIL and gave no summary"
	}
	return resp
}

// failed overrules what was printed, if anything. The handoff and the failure
// details in it still help the builder that comes next. The element itself is
// not passed on as printed: it may say PASS.
func failed(req stages.Request, reason string, result dispatch.Result, said transcript) stages.Response {
	result.Work, result.Task, result.Agent = req.Dispatch.Work, req.Step.Task, req.Step.Stage
	result.Status, result.Summary = dispatch.Fail, reason
	result.Failures = append(result.Failures, dispatch.Failure{Check: "reply", Error: proc.WithLast(reason, said.telling())})
	return stages.Response{Result: result, Usage: stages.Usage{Sends: 1}}
}

// cutOff is what is known of a stage that did not come to its end.
func cutOff(req stages.Request, said transcript) stages.Response {
	return stages.Response{
		Usage: stages.Usage{Sends: 1},
		Result: dispatch.Result{
			Work: req.Dispatch.Work, Task: req.Step.Task, Agent: req.Step.Stage,
			Failures: []dispatch.Failure{{Check: "reply", Error: proc.WithLast("cut off", said.telling())}},
		},
	}
}

func expected(req stages.Request) dispatch.Expect {
	return dispatch.Expect{Work: req.Dispatch.Work, Task: req.Step.Task, Agent: req.Step.Stage}
}
