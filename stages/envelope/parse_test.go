package envelope_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages/envelope"
)

// refused fails the test unless Parse refuses the reply with that error.
func refused(t *testing.T, typ envelope.Type, reply, want string) {
	t.Helper()
	e, err := envelope.Parse(typ, []byte(reply))
	require.EqualError(t, err, want, "%.200s", reply)
	require.Nil(t, e)
}

func TestFieldThatIsLeftOutHasItsDefault(t *testing.T) {
	t.Parallel()
	base := envelope.Base{Status: envelope.Success}
	for typ, want := range map[envelope.Type]envelope.Envelope{
		envelope.Generic:  envelope.GenericOutput{Base: base},
		envelope.Plan:     envelope.PlanOutput{Base: base},
		envelope.Build:    envelope.BuildOutput{Base: base},
		envelope.Scout:    envelope.ScoutOutput{Base: base},
		envelope.Review:   envelope.ReviewOutput{Base: base},
		envelope.Document: envelope.DocumentOutput{Base: base},
		envelope.Verify:   envelope.VerifyOutput{Base: base},
		envelope.Changes:  envelope.ChangesOutput{Base: base},
	} {
		e, err := envelope.Parse(typ, []byte(`{"status":"success"}`))
		require.NoError(t, err)
		require.Equal(t, want, e)
	}
}

func TestFieldsComeInTheOrderOfTheirType(t *testing.T) {
	t.Parallel()
	for typ, own := range map[envelope.Type]string{
		envelope.Generic:  "",
		envelope.Plan:     " commit_message",
		envelope.Build:    " changed_files commit_message",
		envelope.Scout:    " findings",
		envelope.Review:   " approved findings blocking",
		envelope.Document: " document_path documented_files commit_message",
		envelope.Verify:   " passed failures",
		envelope.Changes:  " base changed_files insertions deletions stat diff_path",
	} {
		var names []string
		for _, f := range typ.Fields() {
			names = append(names, f.Name)
			require.Contains(t, typ.Example(), `"`+f.Name+`":`)
			require.True(t, strings.HasPrefix(f.String(), f.Name+": "+string(f.Kind)), f)
		}
		require.Equal(t, "status summary artifacts notes_for_next_agent"+own, strings.Join(names, " "))
	}
	require.Equal(t, `status: string, required ("success" or "fail")`, envelope.Generic.Fields()[0].String())
}

func TestTypeThatIsNotKnownIsRefused(t *testing.T) {
	t.Parallel()
	const typ = envelope.Type("ThoughtOutput")
	refused(t, typ, `{"status":"success"}`, `there is no output type "ThoughtOutput"`)
	require.Nil(t, typ.Fields())
	require.Nil(t, envelope.Schema(typ))
}

func TestCallerCannotChangeTheFields(t *testing.T) {
	t.Parallel()
	f := envelope.Generic.Fields()
	f[0].Enum[0], f[1].Name = "done", "gist"
	require.Equal(t, "success", envelope.Generic.Fields()[0].Enum[0])
	require.Equal(t, "summary", envelope.Plan.Fields()[1].Name)
}

func TestNullIsInvalidAndNamed(t *testing.T) {
	t.Parallel()
	for _, typ := range envelope.Types() {
		for _, f := range typ.Fields() {
			_, err := envelope.Parse(typ, []byte(`{"status":"success","`+f.Name+"\": \n null}"))
			if f.Name == "status" {
				require.EqualError(t, err, "status: given twice")
				continue
			}
			require.ErrorContains(t, err, f.Name+": null where ", "%s", typ)
		}
	}
	refused(t, envelope.Generic, `{"status":null}`, "status: null where a string is expected")
	refused(t, envelope.Generic, `{"status":"success","artifacts":["a", null ]}`, "artifacts[1]: null where a string is expected")
	refused(t, envelope.Scout, `{"status":"success","findings":[{"file":"f"}, null]}`, "findings[1]: null where an object is expected")
}

func TestKeyOrValueInAnotherCaseIsInvalid(t *testing.T) {
	t.Parallel()
	refused(t, envelope.Generic, `{"STATUS":"success"}`, `"STATUS": the field is spelled status`)
	refused(t, envelope.Generic, `{"status":"success","Summary":"s"}`, `"Summary": the field is spelled summary`)
	refused(t, envelope.Generic, `{"ſtatus":"fail","status":"success"}`, `"ſtatus": the field is spelled status`)
	refused(t, envelope.Review, `{"status":"success","findings":[{"requirement":"r","Met":true}]}`, `findings[0]."Met": the field is spelled met`)
	for _, value := range []string{"SUCCESS", "failed", "success ", ""} {
		refused(t, envelope.Generic, `{"status":"`+value+`"}`, `status: "`+value+`" where "success" or "fail" is expected`)
	}
}

func TestKnownKeyGivenTwiceIsInvalid(t *testing.T) {
	t.Parallel()
	refused(t, envelope.Generic, `{"status":"fail","status":"success"}`, "status: given twice")
	refused(t, envelope.Generic, `{"status":"fail","st\u0061tus":"success"}`, "status: given twice")
	refused(t, envelope.Scout, `{"status":"success","findings":[{"file":"a","file":"b"}]}`, "findings[0].file: given twice")
	_, err := envelope.Parse(envelope.Generic, []byte(`{"status":"success","mine":1,"mine":2}`))
	require.NoError(t, err)
}

func TestUnknownKeyIsPassedOver(t *testing.T) {
	t.Parallel()
	e, err := envelope.Parse(envelope.Generic, []byte(`{"thoughts":null,"status":"success","approved":"yes","x":{"status":"fail"}}`))
	require.NoError(t, err)
	require.Equal(t, envelope.GenericOutput{Base: envelope.Base{Status: envelope.Success}}, e)
}

func TestWhatIsNotJSONIsInvalid(t *testing.T) {
	t.Parallel()
	for _, reply := range []string{
		``, ` `, `[]`, `null`, `"success"`, `{"status":"success"} {}`, `{"status":"success"}]`, `{'status':'success'}`, `{"status":"success",}`,
		`{"status":"success" "summary":"s"}`, `{"status":"success","n":01}`, `{"status":"success","n":truefalse}`, `{"status":"success","s":"\q"}`,
		`{"status":"success","s":"` + "\x00" + `"}`, `{"status":"success","s":"` + "\n" + `"}`, `{"status":"success","s":"\`, `{"status":"success"} // done`,
	} {
		_, err := envelope.Parse(envelope.Generic, []byte(reply))
		require.Error(t, err, "%q", reply)
	}
	refused(t, envelope.Generic, `{"status":"success"} // done`, `the JSON object ends, and "// done" follows`)
	refused(t, envelope.Generic, "{\"status\":\"success\",\"summary\":\"\xff\"}", "the JSON is not well formed: it is not UTF-8")
	refused(t, envelope.Generic, "{\"status\":\"success\",\"summary\":\"a\nb\"}", `the JSON is not well formed: a string has '\n' in it, unescaped`)
}

func TestEscapedZeroByteIsKept(t *testing.T) {
	t.Parallel()
	e, err := envelope.Parse(envelope.Generic, []byte(`{"status":"success","artifacts":["a\u0000b"]}`))
	require.NoError(t, err)
	require.Equal(t, []string{"a\x00b"}, e.Common().Artifacts)
}

func TestNestingHasALimit(t *testing.T) {
	t.Parallel()
	nested := func(n int) string {
		return `{"status":"success","deep":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
	}
	_, err := envelope.Parse(envelope.Generic, []byte(nested(64)))
	require.NoError(t, err)
	refused(t, envelope.Generic, nested(65), "the JSON is not well formed: nested more than 64 levels deep")
	_, err = envelope.Parse(envelope.Generic, []byte(nested(10_000_000)))
	require.ErrorContains(t, err, "64 levels")
}

func TestErrorIsShortWhateverTheReplyHolds(t *testing.T) {
	t.Parallel()
	for _, r := range []string{"x", "é", "😀", "\x00"[:0] + "\\u0000"} {
		long := strings.Repeat(r, 1_000_000)
		for _, reply := range []string{`{"status":"` + long + `"}`, `{"` + long + `":1}`, `{"status":1` + strings.Repeat("0", 1_000_000) + `}`, `{"status":"success"} ` + long} {
			_, err := envelope.Parse(envelope.Generic, []byte(reply))
			require.Error(t, err)
			require.Less(t, len(err.Error()), 600)
		}
	}
}
