package stages

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/taskpipeline/pipeline/dispatch"
)

// ReadOnly is e for a verifier that may look at the workspace and not change
// it: where it differs from the snapshot afterwards, or its HEAD has moved, the
// verdict is FAIL and names the files, whatever e says. What was there is put
// back when the next step opens the workspace. disturbed says that something
// else was at work in the workspace before: what differs already is not e's
// doing. Other stages are e's alone.
func ReadOnly(e Executor, disturbed bool) Executor {
	return decorated{inner: e, Func: func(ctx context.Context, req Request) (Response, error) {
		if req.Step.Stage != dispatch.Verifier || req.Facts == nil || req.Snapshot == "" {
			return e.Execute(ctx, req)
		}
		var before []string
		if disturbed {
			var err error
			if before, err = req.Facts.Altered(ctx, req.Snapshot); err != nil {
				return Response{}, err
			}
		}
		resp, err := e.Execute(ctx, req)
		if err != nil {
			return resp, err
		}
		after, err := req.Facts.Altered(ctx, req.Snapshot)
		if err != nil {
			return resp, err
		}
		changed := slices.DeleteFunc(after, func(p string) bool { return slices.Contains(before, p) })
		head, err := req.Facts.Head(ctx)
		if err != nil {
			return resp, err
		}
		var what string
		switch {
		case len(changed) > 0:
			what = "changed files although it may only read: " + listed(changed)
		case head != req.Base:
			what = fmt.Sprintf("moved HEAD to %s although it may only read", head.Short())
		default:
			return resp, nil
		}
		failed := Failed("the verifier "+what, dispatch.Failure{Check: "read-only", Error: what, Files: changed[:min(len(changed), maxNamed)]})
		failed.Usage, failed.Handoff, failed.Warnings = resp.Usage, resp.Handoff, resp.Warnings
		return failed, nil
	}}
}

// maxNamed is how many paths a reason names.
const maxNamed = 10

func listed(paths []string) string {
	if n := len(paths); n > maxNamed {
		return fmt.Sprintf("%s and %d more", strings.Join(paths[:maxNamed], ", "), n-maxNamed)
	}
	return strings.Join(paths, ", ")
}
