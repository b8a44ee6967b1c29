package stages

import (
	"context"

	"github.com/taskpipeline/pipeline/dispatch"
)

// Confined is e, which may write in one place of the session's folder only,
// HandoffDir: a step after which any other file there is not as the pipeline
// left it is a FAIL that names the file, whatever e says. Of several steps at
// work at the same time it is the first to end that is blamed.
func Confined(e Executor) Executor {
	return decorated{inner: e, Func: func(ctx context.Context, req Request) (Response, error) {
		resp, err := e.Execute(ctx, req)
		if err != nil || req.Foreign == nil {
			return resp, err
		}
		changed, err := req.Foreign()
		if err != nil || len(changed) == 0 {
			return resp, err
		}
		what := "changed files of the session that are not its own: " + listed(changed)
		failed := Failed(what, dispatch.Failure{Check: "session", Error: what, Files: changed[:min(len(changed), maxNamed)], Fix: "write files for the agents that follow into the context handoff folder, and nowhere else"})
		failed.Usage, failed.Handoff, failed.Warnings = resp.Usage, resp.Handoff, resp.Warnings
		return failed, nil
	}}
}
