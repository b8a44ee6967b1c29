package scheduler

import (
	"fmt"
	"strings"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
)

// judge makes sure that a response is one: whatever is neither a PASS with a
// handoff nor a FAIL is a FAIL.
func (j *job) judge(resp *stages.Response) {
	s := j.action.Step
	switch {
	case resp.Status != dispatch.Pass && resp.Status != dispatch.Fail:
		*resp = stages.Failed(fmt.Sprintf("status %q is neither PASS nor FAIL", resp.Status))
	case resp.Status == dispatch.Pass && s.Stage != dispatch.Committer && strings.TrimSpace(handoffOf(&resp.Result).What) == "":
		*resp = stages.Failed("PASS without a handoff that says what was done")
	}
	resp.Work, resp.Task, resp.Agent = j.dispatch.Work, s.Task, s.Stage
}

// reasonOf is why a stage failed, in one line.
func reasonOf(r *dispatch.Result) string {
	for _, text := range append([]string{r.Summary}, failureTexts(r)...) {
		line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
		if line = strings.TrimSpace(line); line != "" {
			return cut(line, 300)
		}
	}
	return string(r.Agent) + " said FAIL without a reason"
}

func failureTexts(r *dispatch.Result) []string {
	var out []string
	for _, f := range r.Failures {
		out = append(out, strings.TrimSpace(f.Check+": "+f.Error))
	}
	return append(out, r.Notes)
}

func cut(s string, limit int) string {
	if r := []rune(s); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return s
}
