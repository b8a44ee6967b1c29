package scheduler

import (
	"context"
	"strings"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/window"
)

// ByHand is what stands for the executor's name when a person mended the
// workspace.
const ByHand = "by hand"

// byHand is the builder of a TASK that a person mended.
func byHand(last *window.Handoff) stages.Executor {
	h := window.Handoff{What: "Mended by hand"}
	if last != nil {
		h = *last
		h.Caution = strings.TrimSpace(h.Caution + "\nMended by hand after the agent's last attempt")
	}
	return stages.Func(func(context.Context, stages.Request) (stages.Response, error) {
		return stages.Response{Result: dispatch.Result{Status: dispatch.Pass, Handoff: &h}, DeclareAll: true}, nil
	})
}
