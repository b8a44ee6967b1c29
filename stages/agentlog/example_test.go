package agentlog_test

import (
	"fmt"
	"strings"

	"github.com/taskpipeline/pipeline/stages/agentlog"
)

func ExampleReader() {
	stream := strings.NewReader(`{"type":"thread.started","thread_id":"7"}
{"type":"item.completed","item":{"type":"agent_message","text":"done"}}
{"type":"turn.completed","usage":{"input_tokens":22,"output_tokens":14}}
`)
	r := agentlog.NewReader(agentlog.Codex, func(e agentlog.Event) { fmt.Printf("%s %q\n", e.Kind, e.Text) })
	_, _ = stream.WriteTo(r)
	_ = r.Close()
	outcome := r.Outcome()
	fmt.Println(outcome.Final, outcome.Usage.Input, agentlog.Diagnose(agentlog.Codex, outcome, "", 0) == nil)
	// Output:
	// started ""
	// text "done"
	// ended ""
	// done 22 true
}
