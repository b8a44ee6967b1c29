package envelope_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taskpipeline/pipeline/stages/envelope"
)

// text draws strings that try to be more than text.
func text() *rapid.Generator[string] {
	hostile := []string{
		"{", "}", `{"status":"fail"}`, `"`, `\`, `\u0000`, "\x00", "```", "\n```json\n", "~~~", "\n", "\r\n", "[", "]", ",", ":", "null", "한국어", "😀", "\u2028", "</dispatch>", "<!--",
	}
	part := rapid.OneOf(rapid.SampledFrom(hostile), rapid.String(), rapid.StringMatching(`[a-z ]{0,12}`))
	return rapid.Map(rapid.SliceOfN(part, 0, 6), func(parts []string) string {
		return strings.ToValidUTF8(strings.Join(parts, ""), "?")
	})
}

// prose draws what may stand around a reply: braces and quotes, but no keys.
func prose() *rapid.Generator[string] {
	part := rapid.OneOf(
		rapid.SampledFrom([]string{"{", "}", "{a}", "{}", `"`, "'", `\`, "[", "]", "```", "~~~", "\n", "\t", "\x00", "é"}),
		rapid.StringMatching(`[a-z ,.]{0,12}`),
	)
	return rapid.Map(rapid.SliceOfN(part, 0, 12), func(parts []string) string { return strings.Join(parts, "") })
}

func texts(t *rapid.T, label string) []string {
	return rapid.SliceOfN(text(), 0, 4).Draw(t, label)
}

func any1(t *rapid.T) envelope.Envelope {
	str := func(label string) string { return text().Draw(t, label) }
	yes := func(label string) bool { return rapid.Bool().Draw(t, label) }
	count := func(label string) int { return rapid.IntRange(0, 1<<40).Draw(t, label) }
	b := envelope.Base{
		Status: rapid.SampledFrom([]envelope.Status{envelope.Success, envelope.Failure}).Draw(t, "status"), Summary: str("summary"),
		Artifacts: texts(t, "artifacts"), NotesForNextAgent: str("notes"),
	}
	switch rapid.SampledFrom(envelope.Types()).Draw(t, "type") {
	case envelope.Plan:
		return envelope.PlanOutput{Base: b, CommitMessage: str("message")}
	case envelope.Build:
		return envelope.BuildOutput{Base: b, ChangedFiles: texts(t, "changed"), CommitMessage: str("message")}
	case envelope.Scout:
		out := envelope.ScoutOutput{Base: b, Findings: []envelope.ScoutFinding{}}
		for range rapid.IntRange(0, 3).Draw(t, "findings") {
			out.Findings = append(out.Findings, envelope.ScoutFinding{File: str("file"), Note: str("note")})
		}
		return out
	case envelope.Review:
		out := envelope.ReviewOutput{Base: b, Approved: yes("approved"), Findings: []envelope.ReviewFinding{}, Blocking: texts(t, "blocking")}
		for range rapid.IntRange(0, 3).Draw(t, "findings") {
			out.Findings = append(out.Findings, envelope.ReviewFinding{Requirement: str("requirement"), Met: yes("met"), Evidence: str("evidence")})
		}
		return out
	case envelope.Document:
		return envelope.DocumentOutput{Base: b, DocumentPath: str("path"), DocumentedFiles: texts(t, "documented"), CommitMessage: str("message")}
	case envelope.Verify:
		return envelope.VerifyOutput{Base: b, Passed: yes("passed"), Failures: texts(t, "failures")}
	case envelope.Changes:
		return envelope.ChangesOutput{
			Base: b, Against: str("base"), ChangedFiles: texts(t, "changed"), Insertions: count("insertions"),
			Deletions: count("deletions"), Stat: str("stat"), DiffPath: str("path"),
		}
	}
	return envelope.GenericOutput{Base: b}
}

func TestWhatIsWrittenIsFoundAgainInAnyProse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := any1(t)
		written := envelope.Marshal(want)
		reply := prose().Draw(t, "before") + "\n" + string(written) + prose().Draw(t, "after")
		got, raw, err := envelope.Find(want.Type(), []byte(reply))
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, string(written), string(raw))
		require.NoError(t, compiled(t, want.Type()).Validate(decoded(t, written)))
	})
}

func decoded(t require.TestingT, b []byte) any {
	var v any
	require.NoError(t, json.Unmarshal(b, &v))
	return v
}

func TestListIsNeverWrittenAsNull(t *testing.T) {
	t.Parallel()
	for _, e := range []envelope.Envelope{
		envelope.GenericOutput{}, envelope.PlanOutput{}, envelope.BuildOutput{}, envelope.ScoutOutput{}, envelope.ReviewOutput{},
		envelope.DocumentOutput{}, envelope.VerifyOutput{}, envelope.ChangesOutput{},
	} {
		written := string(envelope.Marshal(e))
		require.NotContains(t, written, "null", "%T", e)
		require.Contains(t, written, `"artifacts": []`)
		require.True(t, strings.HasPrefix(written, "{\n  \"status\": "), written)
		at := 0
		for _, f := range e.Type().Fields() {
			i := strings.Index(written[at:], `"`+f.Name+`":`)
			require.GreaterOrEqual(t, i, 0, "%s of %T is missing, or not in order", f.Name, e)
			at += i + 1
		}
	}
}
