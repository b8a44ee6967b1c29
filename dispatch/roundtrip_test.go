package dispatch_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// text draws strings that try to be more than text, already cleaned.
func text() *rapid.Generator[string] {
	hostile := []string{
		"</what>", "<what>", "</task-result>", `<task-result status="PASS">`, `<task-result task="TASK-03" status="FAIL"`,
		"<context-handoff>", "</context-handoff>", "<![CDATA[", "]]>", "<!--", "-->", "&lt;", "&amp;", "&d;", "&#0;", "&", "<", ">",
		`"`, "'", "\r\n", "\n", "\t", "\x1b[31m", "\x1b]0;t\x07", "\x00", "```", "한국어", "\xff", "</dispatch>", "<!DOCTYPE x>", "<?xml?>",
	}
	part := rapid.OneOf(rapid.SampledFrom(hostile), rapid.String(), rapid.StringMatching(`[a-z ]{0,12}`))
	return rapid.Map(rapid.SliceOfN(part, 0, 8), func(parts []string) string {
		return window.Clean(strings.Join(parts, ""))
	})
}

func attribute() *rapid.Generator[string] { return text() }

func handoff(t *rapid.T, label string) window.Handoff {
	h := window.Handoff{
		What:       text().Filter(func(s string) bool { return s != "" }).Draw(t, label+" what"),
		Why:        text().Draw(t, label+" why"),
		Caution:    text().Draw(t, label+" caution"),
		Incomplete: text().Draw(t, label+" incomplete"),
	}
	if h.Incomplete == "" {
		h.Incomplete = "None"
	}
	return h
}

func failures(t *rapid.T) []dispatch.Failure {
	var out []dispatch.Failure
	for range rapid.IntRange(0, 2).Draw(t, "failures") {
		f := dispatch.Failure{Check: attribute().Draw(t, "check"), Error: text().Draw(t, "error"), Fix: text().Draw(t, "fix")}
		if file := text().Draw(t, "file"); file != "" {
			f.Files = []string{file, file}
		}
		out = append(out, f)
	}
	return out
}

func checks(t *rapid.T) []dispatch.Check {
	var out []dispatch.Check
	for range rapid.IntRange(0, 2).Draw(t, "checks") {
		out = append(out, dispatch.Check{
			Name: attribute().Draw(t, "name"), Status: attribute().Draw(t, "status"),
			Count: attribute().Draw(t, "count"), Text: text().Draw(t, "text"),
		})
	}
	return out
}

func result(t *rapid.T) dispatch.Result {
	r := dispatch.Result{
		Work:         attribute().Draw(t, "work"),
		Task:         "TASK-03",
		Agent:        dispatch.Builder,
		Status:       rapid.SampledFrom([]dispatch.Status{dispatch.Pass, dispatch.Fail}).Draw(t, "status"),
		Summary:      text().Draw(t, "summary"),
		SelfCheck:    checks(t),
		Verification: checks(t),
		Failures:     failures(t),
		Notes:        text().Draw(t, "notes"),
	}
	if rapid.Bool().Draw(t, "changes a file") {
		r.FilesChanged = []dispatch.FileChange{{Action: "created", Path: attribute().Draw(t, "path"), Note: text().Draw(t, "note")}}
	}
	if r.Status == dispatch.Pass || rapid.Bool().Draw(t, "hands off") {
		h := handoff(t, "handoff")
		r.Handoff = &h
	}
	if rapid.Bool().Draw(t, "commits") {
		r.Commit = &dispatch.Commit{Hash: text().Draw(t, "hash"), Message: text().Draw(t, "message"), Type: text().Draw(t, "type")}
	}
	return r
}

func TestWhatWeWriteAsResultParsesBackToTheSameValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := result(t)
		var b bytes.Buffer
		require.NoError(t, want.Encode(&b))
		got, err := dispatch.ParseResult(b.Bytes(), dispatch.Expect{Work: want.Work, Task: "TASK-03", Agent: dispatch.Builder})
		require.NoError(t, err, "%s", b.Bytes())
		require.Equal(t, want, got, "%s", b.Bytes())
	})
}

func TestWhatWeWriteStaysTheLastVerdictAmongHostileProse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := result(t)
		var b bytes.Buffer
		b.WriteString("I will answer with a <task-result> element & so on.\n```xml\n")
		require.NoError(t, want.Encode(&b))
		b.WriteString("```\nThat was the <b>result</b>.")
		got, err := dispatch.ParseResult(b.Bytes(), dispatch.Expect{})
		require.NoError(t, err, "%s", b.Bytes())
		require.Equal(t, want, got)
	})
}

func TestWhatWeWriteAsDispatchParsesBackToTheSameValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := dispatch.Dispatch{
			To:      rapid.SampledFrom([]dispatch.Stage{dispatch.Builder, dispatch.Verifier, dispatch.Committer}).Draw(t, "to"),
			Work:    attribute().Draw(t, "work"),
			Task:    "TASK-03",
			Attempt: rapid.IntRange(0, 4).Draw(t, "attempt"),
			Spec: dispatch.Spec{
				File: text().Draw(t, "file"), Title: text().Draw(t, "title"),
				Action: text().Draw(t, "action"), Description: text().Draw(t, "description"),
			},
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "ancestors") {
			s := dispatch.Sent{Task: tasks.ID("TASK-0" + string(rune('4'+i))), Distance: 1, From: "prev-task", Level: window.Full, Handoff: handoff(t, "ancestor")}
			if i > 0 {
				s.Distance, s.From, s.Level = 2, "prev-prev-task", window.Summary
				s.Handoff = window.Handoff{What: s.Handoff.What}
			}
			want.Handoffs = append(want.Handoffs, s)
		}
		if rapid.Bool().Draw(t, "again") {
			h := handoff(t, "verifier")
			want.Retry = &dispatch.Retry{
				Attempt: 2, Of: 3, Stage: "verifier", Reason: text().Draw(t, "reason"), Failures: failures(t), Handoff: &h,
				Progress: &dispatch.Progress{File: attribute().Draw(t, "progress file"), Text: text().Draw(t, "progress")},
				Conflict: &dispatch.Conflict{With: attribute().Draw(t, "with"), Files: []string{"a b", "c"}, EarlierDiff: attribute().Draw(t, "diff")},
			}
		}
		var b bytes.Buffer
		require.NoError(t, want.Encode(&b))
		got, err := dispatch.Parse(b.Bytes())
		require.NoError(t, err, "%s", b.Bytes())
		require.Equal(t, want, got, "%s", b.Bytes())

		var again bytes.Buffer
		require.NoError(t, got.Encode(&again))
		require.Equal(t, b.String(), again.String())
	})
}
