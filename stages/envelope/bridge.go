package envelope

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/window"
)

// Result is the verdict that an envelope stands for. Who it comes from is for
// the caller to add.
func Result(e Envelope) dispatch.Result {
	base := e.Common()
	r := dispatch.Result{
		Status:  dispatch.Pass,
		Summary: base.Summary,
		Handoff: &window.Handoff{What: cmp.Or(strings.TrimSpace(base.Summary), "done; nothing more was said"), Caution: base.NotesForNextAgent},
	}
	if base.Status != Success {
		r.Status = dispatch.Fail
		r.Summary = cmp.Or(strings.TrimSpace(base.Summary), "the agent reported that it failed, and not why")
		r.Failures = []dispatch.Failure{{Check: "agent", Error: r.Summary}}
		r.Handoff.What = r.Summary
	}
	switch v := e.(type) {
	case BuildOutput:
		for _, path := range v.ChangedFiles {
			r.FilesChanged = append(r.FilesChanged, dispatch.FileChange{Path: path})
		}
		if message := strings.TrimSpace(v.CommitMessage); message != "" {
			r.Commit = &dispatch.Commit{Message: message}
		}
	case ReviewOutput:
		v.judge(&r)
	case VerifyOutput:
		if !v.Passed {
			r.Status = dispatch.Fail
		}
		for _, f := range v.Failures {
			name, _, _ := strings.Cut(f, ":")
			r.Failures = append(r.Failures, dispatch.Failure{Check: name, Error: f})
		}
	}
	return r
}

// judge puts a review's verdict and what it is founded on into a result.
func (v ReviewOutput) judge(r *dispatch.Result) {
	for _, f := range v.Findings {
		status := "PASS"
		if !f.Met {
			status = "FAIL"
		}
		r.Verification = append(r.Verification, dispatch.Check{Name: f.Requirement, Status: status, Text: f.Evidence})
	}
	if v.Approved || r.Status == dispatch.Fail {
		return
	}
	r.Status = dispatch.Fail
	r.Summary = cmp.Or(strings.TrimSpace(v.Summary), "not approved")
	for _, what := range v.Blocking {
		r.Failures = append(r.Failures, dispatch.Failure{Check: "review", Error: what})
	}
	for _, f := range v.Findings {
		if !f.Met {
			r.Failures = append(r.Failures, dispatch.Failure{Check: f.Requirement, Error: cmp.Or(f.Evidence, "not met")})
		}
	}
	if len(r.Failures) == 0 {
		r.Failures = []dispatch.Failure{{Check: "review", Error: r.Summary}}
	}
}

// FromResult is a result that came in another form, as an envelope.
func FromResult(r dispatch.Result) GenericOutput {
	out := GenericOutput{Base{Status: Success, Summary: r.Summary}}
	if r.Status != dispatch.Pass {
		out.Status = Failure
	}
	if h := r.Handoff; h != nil {
		out.Summary = cmp.Or(out.Summary, h.What)
		out.NotesForNextAgent = h.Caution
	}
	if out.Status == Failure {
		var lines []string
		for _, f := range r.Failures {
			line := strings.TrimSpace(f.Check + ": " + f.Error)
			if f.Fix != "" {
				line += " (" + f.Fix + ")"
			}
			lines = append(lines, line)
		}
		if len(lines) > 0 {
			out.NotesForNextAgent = strings.TrimSpace(strings.Join(lines, "\n") + "\n\n" + out.NotesForNextAgent)
		}
	}
	return out
}

// CommandResult is how one command ended.
type CommandResult struct {
	Name   string // what the configuration calls it
	Exit   int    // its exit status; 124 if its time was up
	Output string // the end of what it printed
}

// FromCommands is what commands said, as an envelope. It passed if all of them
// ended with 0.
func FromCommands(results []CommandResult) VerifyOutput {
	out := VerifyOutput{Base: Base{Status: Success}, Passed: true}
	for _, r := range results {
		if r.Exit == 0 {
			continue
		}
		out.Passed = false
		line := fmt.Sprintf("%s: exit status %d", r.Name, r.Exit)
		if r.Exit == 124 {
			line = r.Name + ": its time was up"
		}
		if said := strings.TrimSpace(r.Output); said != "" {
			line += "\n" + said
		}
		out.Failures = append(out.Failures, line)
	}
	out.Summary = fmt.Sprintf("%d of %d checks passed", len(results)-len(out.Failures), len(results))
	return out
}

// Diff is what differs between two commits.
type Diff struct {
	Base       string
	Files      []string
	Insertions int
	Deletions  int
	Stat       string
	Path       string // where the whole diff is
}

// FromDiff is a diff, as an envelope.
func FromDiff(d Diff) ChangesOutput {
	return ChangesOutput{
		Base:    Base{Status: Success, Summary: fmt.Sprintf("files changed: %d; lines added: %d, removed: %d", len(d.Files), d.Insertions, d.Deletions)},
		Against: d.Base, ChangedFiles: d.Files, Insertions: d.Insertions, Deletions: d.Deletions, Stat: d.Stat, DiffPath: d.Path,
	}
}
