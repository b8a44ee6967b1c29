package envelope_test

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages/envelope"
)

func compiled(t require.TestingT, typ envelope.Type) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(envelope.Schema(typ)))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("it", doc))
	s, err := c.Compile("it")
	require.NoError(t, err)
	return s
}

func TestSchemaAndParseAgree(t *testing.T) {
	t.Parallel()
	for _, typ := range envelope.Types() {
		schema := compiled(t, typ)
		replies := []string{
			typ.Example(), `{}`, `{"status":"success"}`, `{"status":"fail","more":null}`, `{"status":"done"}`, `{"status":null}`, `{"status":1}`, `[]`, `"success"`,
		}
		for _, f := range typ.Fields() {
			for _, value := range []string{`null`, `true`, `1`, `-1`, `1.5`, `"x"`, `[]`, `["x"]`, `[1]`, `[null]`, `{}`, `[{}]`, `[{"file":"f"}]`, `[{"requirement":"r","met":false}]`, `[{"requirement":"r","met":0}]`} {
				if f.Name != "status" {
					replies = append(replies, `{"status":"success","`+f.Name+`":`+value+`}`)
				}
			}
		}
		for _, reply := range replies {
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(reply)))
			require.NoError(t, err)
			_, parsed := envelope.Parse(typ, []byte(reply))
			require.Equal(t, schema.Validate(doc) == nil, parsed == nil, "%s: %s: %v", typ, reply, parsed)
		}
	}
}
