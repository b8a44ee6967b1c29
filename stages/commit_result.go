package stages

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/progress"
)

// maxShown is how much of a check's text is repeated in result.md, in
// characters; the whole stands in the step's files.
const maxShown = 300

// resultFile is what result.md says of a TASK that passed.
func resultFile(in CommitInput, undeclared []Change) progress.Result {
	builder, verifier := handoffOf(in.Builder), handoffOf(in.Verifier)
	issues := slices.Concat(unlisted(undeclared), in.Builder.Warnings, in.Verifier.Warnings)
	for i, issue := range issues {
		issues[i] = "- " + shown(issue)
	}
	return progress.Result{
		Task:         string(in.Task.ID),
		Work:         workLine(in.Work, in.Title),
		Completed:    in.At,
		Done:         true,
		Spec:         in.Task.SpecHash,
		Summary:      firstSaid(in.Builder.Summary, builder.What),
		Checklist:    met(progress.Criteria(in.Task.Spec)),
		Verification: verification(in.Verifier, verifier.What),
		Files:        in.Snapshot.Changes,
		Issues:       strings.Join(issues, "\n"),
		Notes:        strings.Join(slices.DeleteFunc([]string{in.Builder.Notes, in.Verifier.Notes}, isBlank), "\n\n"),
		Builder:      builder,
		Verifier:     verifier,
	}
}

// workLine names the plan by its name and its title, as far as it has them.
func workLine(work, title string) string {
	switch {
	case title == "", title == work:
		return work
	case work == "":
		return title
	}
	return work + " — " + title
}

// met ticks the criteria: the verifier passed the TASK that states them.
func met(criteria []progress.Item) []progress.Item {
	for i := range criteria {
		criteria[i].Done = true
	}
	return criteria
}

// verification is one line for each check, or what the verifier said instead.
func verification(r dispatch.Result, said string) []string {
	var out []string
	for _, c := range r.Verification {
		line := c.Name + ": " + c.Status
		if c.Count != "" {
			line += fmt.Sprintf(" (%s)", c.Count)
		}
		if !isBlank(c.Text) {
			line += " — " + shown(c.Text)
		}
		out = append(out, line)
	}
	if text := firstSaid(r.Summary, said); len(out) == 0 && text != "" {
		out = append(out, shown(text))
	}
	return out
}

// shown is a text on one line, cut to maxShown.
func shown(s string) string {
	return cutTo(strings.Join(strings.Fields(s), " "), maxShown)
}

func firstSaid(first, second string) string {
	if isBlank(first) {
		return second
	}
	return first
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
