package envelope_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages/envelope"
)

func TestStatusIsTheOnlyRequiredField(t *testing.T) {
	t.Parallel()
	for _, typ := range envelope.Types() {
		for _, f := range typ.Fields() {
			require.Equal(t, f.Name == "status", f.Required, "%s.%s", typ, f.Name)
		}
		_, err := envelope.Parse(typ, []byte(`{"status":"success"}`))
		require.NoError(t, err)
		_, err = envelope.Parse(typ, []byte(`{"summary":"s"}`))
		require.EqualError(t, err, "status: missing")
	}
}

func TestExampleOfEachTypeIsValid(t *testing.T) {
	t.Parallel()
	for _, typ := range envelope.Types() {
		e, err := envelope.Parse(typ, []byte(typ.Example()))
		require.NoError(t, err)
		require.Equal(t, typ, e.Type())
		require.Equal(t, typ.Example(), string(envelope.Marshal(e)))
	}
}

func TestMistakeIsNamedByItsField(t *testing.T) {
	t.Parallel()
	for reply, want := range map[string]string{
		`{"status":"success","approved":null}`:                                    `approved: null where true or false is expected`,
		`{"status":"Success"}`:                                                    `status: "Success" where "success" or "fail" is expected`,
		`{"Status":"success"}`:                                                    `"Status": the field is spelled status`,
		`{"status":"success","status":"fail"}`:                                    `status: given twice`,
		`{"status":"success","blocking":"x"}`:                                     `blocking: a string where an array of strings is expected`,
		`{"status":"success","blocking":["a",3]}`:                                 `blocking[1]: the number "3" where a string is expected`,
		`{"status":"success","findings":[{"requirement":"r"}]}`:                   `findings[0].met: missing`,
		`{"status":"success","findings":[{"requirement":"r","met":null}]}`:        `findings[0].met: null where true or false is expected`,
		`{"status":"success","findings":[{"requirement":"r","met":true}, "yes"]}`: `findings[1]: a string where an object is expected`,
		`{"status":"success",}`:                                                   "the JSON is not well formed: a key in double quotes is expected before \"}\"",
		`{"status":"success"`:                                                     "the JSON is not well formed: the text ends in the middle of it",
		`all is done`:                                                             "there is no JSON object in the reply",
		`{a} and {} done`:                                                         "status: missing",
	} {
		_, _, err := envelope.Find(envelope.Review, []byte(reply))
		require.EqualError(t, err, want, "%s", reply)
	}
}

func TestReplyIsFoundInWhateverIsAroundIt(t *testing.T) {
	t.Parallel()
	const want = `{"status":"success","summary":"a {b} \"c\""}`
	for _, reply := range []string{
		want, "```json\n" + want + "\n```", "```\n" + want + "\n```", "Here it is: " + want + " Done.", "a {set} of {things} " + want,
		`{"status":"fail"}` + "\nNo, better:\n" + want, "if (x) {\n  y() }\n\n~~~JSON\n" + want + "\n~~~\n{", `{"status": ` + "\"succ\n" + want,
	} {
		e, raw, err := envelope.Find(envelope.Generic, []byte(reply))
		require.NoError(t, err, "%s", reply)
		require.Equal(t, want, string(raw))
		require.Equal(t, `a {b} "c"`, e.Common().Summary)
	}
}
