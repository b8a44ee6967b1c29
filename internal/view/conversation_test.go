package view

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const talk = `{"type":"pipeline_send","task":"TASK-01","stage":"builder","attempt":1,"round":1,"send":1,"kind":"first","coding_agent":"claude"}
{"type":"system","subtype":"init","session_id":"7"}
{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Write","input":{"file_path":"a.txt"}}]}}
{"type":"user","message":{"content":[{"type":"tool_result","is_error":true,"content":"not allowed\nhere"}]}}
{"type":"stderr","text":"a warning"}
{"type":"assistant","message":{"content":[{"type":"text","text":"It is\ndone."}]}}
{"type":"result","is_error":false,"result":"It is\ndone."}
{"type":"pipeline_reply","send":1,"output":"BuildOutput","valid":false,"error":"status: missing","input_tokens":1200,"output_tokens":34,"usd":0.0004}
{"type":"pipeline_send","task":"TASK-01","stage":"builder","attempt":1,"round":1,"send":2,"kind":"fix","coding_agent":"claude"}
{"type":"pipeline_reply","send":2,"output":"BuildOutput","valid":true,"usd":1.5}
{"type":"pipeline_send","task":"TASK-01","stage":"verifier","attempt":1,"round":2,"send":1,"kind":"first","coding_agent":"command ./check"}
{"a":"command's own"}
{"type":"pipeline_reply","send":1,"fault":"exit status 3"}
plain {output} of a script
no end`

func TestConversationTellsWhatAnAgentWasToldDidAndSaid(t *testing.T) {
	t.Parallel()
	want := `== send 1, builder#1, to claude
  > Write a.txt
  ✗ not allowed here
  ! a warning
  It is
  done.
== not accepted: status: missing (1,234 tokens, $0.0004)
== send 2, builder#1, to claude: a correction of its form
== a valid BuildOutput ($1.50)
== send 1, verifier#1.2, to command ./check
{"a":"command's own"}
== exit status 3
plain {output} of a script
no end
`
	for _, n := range []int{1, 13, len(talk)} {
		var got strings.Builder
		w := Conversation(&got)
		for rest := talk; rest != ""; {
			k := min(n, len(rest))
			_, err := w.Write([]byte(rest[:k]))
			require.NoError(t, err)
			rest = rest[k:]
		}
		require.NoError(t, w.Close())
		require.Equal(t, want, got.String())
	}
}
