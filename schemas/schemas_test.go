package schemas_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/schemas"
)

func TestEverySchemaIsASchema(t *testing.T) {
	t.Parallel()
	for _, name := range schemas.Names() {
		b, err := schemas.Get(name)
		require.NoError(t, err)
		raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		require.NoError(t, err, name)
		require.Equal(t, name+".schema.json", raw.(map[string]any)["$id"])
		c := jsonschema.NewCompiler()
		require.NoError(t, c.AddResource(name, raw))
		_, err = c.Compile(name)
		require.NoError(t, err, name)
	}
}

func TestAnUnknownSchemaNamesTheKnownOnes(t *testing.T) {
	t.Parallel()
	_, err := schemas.Get("../schemas")
	require.EqualError(t, err, `there is no schema "../schemas"; there are agent_map, event, pipeline`)
}

func ExampleNames() {
	fmt.Println(schemas.Names())
	// Output: [agent_map event pipeline]
}
