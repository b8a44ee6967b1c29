package envelope_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages/envelope"
)

func FuzzFind(f *testing.F) {
	for _, typ := range envelope.Types() {
		f.Add([]byte(typ.Example()))
		f.Add([]byte("so {a}\n```json\n" + typ.Example() + "\n```\n{"))
	}
	for _, reply := range []string{
		good, `{"status":"fail","previous":` + good + `,}`, `{"status":"a {b} \"c\""`, `{"status":null}`, "{\"status\":\"\xff\"}", `{"a":[[[{"b":"\`, "{}\n{\"status\"\n~~~\n" + good,
	} {
		f.Add([]byte(reply))
	}
	f.Fuzz(func(t *testing.T, reply []byte) {
		for _, typ := range envelope.Types() {
			e, raw, err := envelope.Find(typ, reply)
			if err != nil {
				require.Nil(t, e)
				require.Nil(t, raw)
				require.Less(t, len(err.Error()), 1000)
				continue
			}
			require.True(t, bytes.Contains(reply, raw))
			require.True(t, json.Valid(raw))
			doc := decoded(t, raw)
			require.NoError(t, compiled(t, typ).Validate(doc))
			again, err := envelope.Parse(typ, raw)
			require.NoError(t, err)
			require.Equal(t, e, again)
			same, _, err := envelope.Find(typ, envelope.Marshal(e))
			require.NoError(t, err)
			require.Equal(t, envelope.Marshal(e), envelope.Marshal(same))
			r := envelope.Result(e)
			require.NotEmpty(t, r.Handoff.What)
		}
	})
}
