package envelope_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages/envelope"
)

const good = `{"status":"success","summary":"ok"}`

// found fails the test unless that JSON is what counts in the reply.
func found(t *testing.T, reply, want string) {
	t.Helper()
	e, raw, err := envelope.Find(envelope.Generic, []byte(reply))
	require.NoError(t, err, "%s", reply)
	require.Equal(t, want, string(raw), "%s", reply)
	require.Equal(t, envelope.Generic, e.Type())
}

// lost fails the test unless the reply holds no envelope, for that reason.
func lost(t *testing.T, reply, want string) {
	t.Helper()
	_, raw, err := envelope.Find(envelope.Generic, []byte(reply))
	require.EqualError(t, err, want, "%s", reply)
	require.Nil(t, raw)
}

func TestFencedReplyIsTolerated(t *testing.T) {
	t.Parallel()
	for _, fence := range []string{"```", "````", "~~~"} {
		for _, tag := range []string{"", "json", "JSON", " jsonc title=x", "text"} {
			found(t, fence+tag+"\n"+good+"\n"+fence, good)
			found(t, "Here you are:\r\n  "+fence+tag+"\r\n  "+good+"\r\n  "+fence+"\r\nBye", good)
		}
	}
}

func TestProseAroundTheReplyIsTolerated(t *testing.T) {
	t.Parallel()
	for _, around := range []struct{ before, after string }{
		{"Done. ", " Anything else?"},
		{"{a} ", ""},
		{"{a: {b}} ", "{c}"},
		{"I made a `map[string]struct{}{}`.\n", ""},
		{"It's } odd { here\n", ""},
		{"a 5\" disk {\n", "\n}"},
		{"${HOME} and {{prompt}}: ", " {done}"},
		{"\ufeff", ""},
		{"{\n", "\n{"},
		{"", ` {"`},
		{"{\"x\n", "\n"},
	} {
		found(t, around.before+good+around.after, good)
	}
}

func TestLastValidObjectWins(t *testing.T) {
	t.Parallel()
	const draft = `{"status":"fail"}`
	found(t, draft+"\nNo, better:\n"+good, good)
	found(t, good+"\nNo, worse:\n"+draft, draft)
	found(t, good+"\nLike {\"file\":\"x\"} or {\"status\":\"done\"}", good)
	found(t, "```json\n"+draft+"\n```\nand\n```json\n"+good+"\n```", good)
	found(t, "```json\n"+good+"\n```\nafter the draft "+draft, draft)
}

func TestFencedBlockIsReadWhateverWentWrongBeforeIt(t *testing.T) {
	t.Parallel()
	for _, before := range []string{`{`, `{"status":"fail",`, `{"status":"fa`, `{ "a": [ {`, `{"a":"5" disk",`} {
		found(t, before+"\n```json\n"+good+"\n```\n}", good)
		found(t, "```json\n"+before+"\n```\nAgain:\n```json\n"+good+"\n```\n", good)
		found(t, before+"\n"+good, good)
	}
}

func TestObjectInsideOfAnotherIsNoReply(t *testing.T) {
	t.Parallel()
	lost(t, `{"previous_envelope":`+good+`}`, "status: missing")
	lost(t, `[`+`{"x":[`+good+`]}]`, "status: missing")
	lost(t, `{"status":"fail","previous_envelope":`+good+`,}`, `the JSON is not well formed: a key in double quotes is expected before "}"`)
	lost(t, `{"status":"fail" "previous_envelope":`+good+`}`, `the JSON is not well formed: a comma or a brace is expected before "\"previous_envelope\":"`)
	lost(t, `{"status":"fail","previous_envelope":`+good, "the JSON is not well formed: the text ends in the middle of it")
	lost(t, `{status: "fail", previous_envelope: `+good+`}`, "there is no JSON object in the reply")
	lost(t, `{status: "said \"}\"", previous_envelope: `+good+`}`, "there is no JSON object in the reply")
	lost(t, `{"status":"fail","summary":"it printed {\"status\":\"success\"} and
stopped"}`, `the JSON is not well formed: a string has '\n' in it, unescaped`)
}

func TestEmptyReplyHasNoObject(t *testing.T) {
	t.Parallel()
	for _, reply := range []string{"", " \n", "done", "[]", "}", "{", "{ a }", "```json\n```"} {
		lost(t, reply, "there is no JSON object in the reply")
	}
}

func TestErrorIsThatOfTheLastCandidate(t *testing.T) {
	t.Parallel()
	lost(t, `{"status":"done"} {"summary":"s"}`, "status: missing")
	lost(t, `{"summary":"s"} {"status":"done"}`, `status: "done" where "success" or "fail" is expected`)
	lost(t, `{"summary":"s"} {"status":"success"`, "the JSON is not well formed: the text ends in the middle of it")
}

func TestTenThousandFindingsAreValid(t *testing.T) {
	t.Parallel()
	one := `{"requirement":"r","met":true,"evidence":"e"}`
	reply := `{"status":"success","approved":true,"findings":[` + strings.Repeat(one+",", 9_999) + one + `]}`
	e, _, err := envelope.Find(envelope.Review, []byte(reply))
	require.NoError(t, err)
	require.Len(t, e.(envelope.ReviewOutput).Findings, 10_000)
	require.Len(t, envelope.Result(e).Verification, 10_000)
}

func TestOnlyTheLastThousandObjectsAreRead(t *testing.T) {
	t.Parallel()
	found(t, good+strings.Repeat("{}", 999), good)
	lost(t, good+strings.Repeat("{}", 1000), "status: missing")
	found(t, strings.Repeat("{}", 5000)+good, good)
}

// A million braces are gone through in a second. In time that grew with their
// square they would take hours.
func TestTimeGrowsWithTheLengthOfTheReply(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{
		`{`, `}`, `{}`, `{"`, `{"a":`, `{"a":[`, `{"a":"{`, `{"{`, `[`, `"`, `{"a":"{","b":":{`, `{ `, "\n{", "{\"a\":1}\n```\n", `{"a":{"b":{}},`, `\`, "{\"\\", "\n \t",
	} {
		for _, front := range []string{"", "{", `{"x":[`, `{"status":"success","x":"`} {
			reply := []byte(front + strings.Repeat(unit, 1_000_000/len(unit)))
			begin := time.Now()
			_, _, err := envelope.Find(envelope.Generic, reply)
			require.Error(t, err)
			require.Less(t, time.Since(begin), 30*time.Second, "%q after %q", unit, front)
		}
	}
}

func TestLongReplyIsRead(t *testing.T) {
	t.Parallel()
	want := fmt.Sprintf(`{"status":"success","summary":"%s"}`, strings.Repeat("{\\\"", 16<<20))
	_, raw, err := envelope.Find(envelope.Generic, []byte(strings.Repeat("word ", 1<<20)+want+" end"))
	require.NoError(t, err)
	require.Len(t, raw, len(want))
}
