package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/tasks"
)

// verdict is the run's end as an error with its kind and the next command.
func (b *build) verdict(v scheduler.Verdict) error {
	plan := b.record.Plan
	switch v {
	case scheduler.AllDone:
		return nil
	case scheduler.SomeFailed:
		return b.failed(plan)
	case scheduler.Stopped:
		return faultf(errInterrupt, "stopped").then("pipeline resume %s", b.session.ID)
	case scheduler.IsBlocked:
		return faultf(errBlocked, "uncommitted changes of yours are in the way of landing").
			then("commit or move them, then `pipeline resume`; or `pipeline run --branch pipeline/%s` to go on editing meanwhile", b.folder.Graph.Work())
	case scheduler.RateLimited:
		return faultf(errRateLimited, "rate limited").then("pipeline resume %s", b.session.ID)
	case scheduler.OverBudget:
		return faultf(errBudget, "the session's budget is spent").then("raise budget.usd or budget.tokens, then `pipeline resume %s`", b.session.ID)
	case scheduler.IsWaiting:
		return faultf(errApproval, "waiting for approval of %s", names(plan, scheduler.Waiting)).
			then("pipeline diff %s", firstOf(plan, scheduler.Waiting))
	}
	return faultf(errIntegrity, "the run ended with TASKs that nothing can start: %s", v).then("pipeline status")
}

// failed names the FAILED TASKs and how to find out why.
func (b *build) failed(plan *scheduler.Plan) error {
	first := firstOf(plan, scheduler.IsFailed)
	who := string(first)
	if n := plan.Totals().Failed; n > 1 {
		who = fmt.Sprintf("%s FAILED; the first, %s,", names(plan, scheduler.IsFailed), first)
	}
	return faultf(errFailed, "%s FAILED: %s", who, plan.State(first).Reason).then("pipeline inspect %s", first)
}

// fault is an error that cut the run off, with its kind.
func (b *build) fault(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, cause) {
		return b.cutOff(cause)
	}
	if r := (*scheduler.RecordError)(nil); errors.As(err, &r) {
		return faultf(errIntegrity, "%s: %v", b.p.typed(b.session.EventsFile()), err)
	}
	if r := (*session.RecordError)(nil); errors.As(err, &r) {
		return faultf(errIntegrity, "%s: %v", b.p.typed(r.File), r.Err).then("pipeline check %s", b.session.ID)
	}
	f := faultf(errUsage, "%v", err)
	if bad := refusal(err); bad != err {
		return bad
	}
	return f.then("mend it, then `pipeline resume`")
}

// cutOff is the end of a run that was made to end before it was over. That a
// TASK has FAILED weighs more than that the time is up, a signal more than both.
func (b *build) cutOff(cause error) error {
	kind := errInterrupt
	switch {
	case errors.Is(cause, errTerminate):
		kind = errTerminate
	case errors.Is(cause, errTimeout) && b.record.Plan.Totals().Failed > 0:
		return b.failed(b.record.Plan)
	case errors.Is(cause, errTimeout):
		kind = errTimeout
	}
	return faultf(kind, "%v; nothing that was finished is lost", kind).then("pipeline resume %s", b.session.ID)
}

func areIn(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func firstOf(plan *scheduler.Plan, s scheduler.State) tasks.ID {
	for t := range plan.Graph().All() {
		if plan.State(t.ID).State == s {
			return t.ID
		}
	}
	return ""
}

func names(plan *scheduler.Plan, s scheduler.State) string {
	var out []string
	for t := range plan.Graph().All() {
		if plan.State(t.ID).State == s {
			out = append(out, string(t.ID))
		}
	}
	if len(out) > 5 {
		return fmt.Sprintf("%s and %d more", strings.Join(out[:5], ", "), len(out)-5)
	}
	return strings.Join(out, ", ")
}
