package progress_test

import (
	"path"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taskpipeline/pipeline/progress"
	"github.com/taskpipeline/pipeline/window"
)

// text draws strings that try to break out of a Markdown file, cleaned.
func text() *rapid.Generator[string] {
	hostile := []string{
		"\n", "\n\n", "\n  ", "\n# ", "\n## Context Handoff\n", "\n### Builder Context (FULL)\n", "\n- **why**: ", "\n- why: ", "\n  - **what**: x",
		"\n```\n", "```", "\n~~~", "\n- ```", "<!--", "-->", `\`, `\\`, "`", "\n> Status: **DONE**", "\n---\n", "\n===\n", "\n<details>", "**", "None", "- [ ] ", "\t", "x",
	}
	part := rapid.OneOf(rapid.SampledFrom(hostile), rapid.String(), rapid.StringMatching(`[a-z ]{0,8}`))
	return rapid.Map(rapid.SliceOfN(part, 0, 9), func(parts []string) string {
		return window.Clean(strings.Join(parts, ""))
	})
}

// section draws texts that say something, as sections hold them.
func section() *rapid.Generator[string] {
	return rapid.Map(text(), func(s string) string {
		if window.None(s) {
			return ""
		}
		return s
	})
}

func oneLine() *rapid.Generator[string] {
	return rapid.Map(text(), func(s string) string { return strings.Join(strings.Fields("a "+s), " ") })
}

func paths() *rapid.Generator[string] {
	return rapid.Map(rapid.OneOf(text(), rapid.String(), rapid.SampledFrom([]string{"None", "a b.go", "a (created)", `"q"`, "x — CREATE"})), func(s string) string {
		return path.Clean("dir/" + strings.Trim(s, "/"))
	})
}

func handoff(t *rapid.T, who string) window.Handoff {
	h := window.Handoff{
		What:       text().Draw(t, who+" what"),
		Why:        text().Draw(t, who+" why"),
		Caution:    text().Draw(t, who+" caution"),
		Incomplete: text().Draw(t, who+" incomplete"),
	}
	if h.Incomplete == "" {
		h.Incomplete = "None"
	}
	return h
}

func changes(t *rapid.T) []progress.Change {
	var out []progress.Change
	for _, p := range rapid.SliceOfNDistinct(paths(), 0, 4, rapid.ID).Draw(t, "paths") {
		out = append(out, progress.Change{Path: p, Action: rapid.SampledFrom([]progress.Action{progress.Create, progress.Modify, progress.Delete}).Draw(t, "action")})
	}
	return out
}

func TestResultFileReadsBackAsItWasWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := progress.Result{
			Task:      "TASK-03",
			Work:      oneLine().Draw(t, "work"),
			Completed: time.Date(2026, 3, 12, 10, 53, 0, 0, time.UTC),
			Done:      rapid.Bool().Draw(t, "done"),
			Spec:      "sha256:00ff",
			Summary:   section().Draw(t, "summary"),
			Issues:    section().Draw(t, "issues"),
			Notes:     section().Draw(t, "notes"),
			Builder:   handoff(t, "builder"),
			Verifier:  handoff(t, "verifier"),
		}
		if s := oneLine().Draw(t, "verification"); rapid.Bool().Draw(t, "verified") {
			want.Verification = []string{s, s}
		}
		if s := oneLine().Draw(t, "criterion"); rapid.Bool().Draw(t, "has criteria") {
			want.Checklist = []progress.Item{{Text: s, Done: true}, {Text: s}}
		}
		for _, action := range []progress.Action{progress.Create, progress.Modify, progress.Delete} {
			for _, p := range rapid.SliceOfN(paths(), 0, 2).Draw(t, "paths") {
				want.Files = append(want.Files, progress.Change{Path: p, Action: action})
			}
		}
		file := want.Render()
		require.Equal(t, want, progress.ParseResult(file), "%s", file)
	})
}

func TestProgressFileReadsBackAsItWasWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := changes(t)
		file := progress.Render("TASK-03", "COMPLETED", time.Time{}, time.Time{}, want)
		got := progress.Parse(file)
		require.Equal(t, progress.Report{Found: true, Statuses: []string{"COMPLETED"}, Files: want}, got, "%s", file)
	})
}
