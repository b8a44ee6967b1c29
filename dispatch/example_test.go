package dispatch_test

import (
	"fmt"
	"os"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/window"
)

func ExampleDispatch_Encode() {
	d := dispatch.Dispatch{
		To:   dispatch.Builder,
		Task: "TASK-03",
		Handoffs: []dispatch.Sent{{
			From: "prev-prev-task", Task: "TASK-01", Distance: 2, Level: window.Summary,
			Handoff: window.Handoff{What: "The schema, with users & sessions"},
		}},
	}
	if err := d.Encode(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// <dispatch to="builder" task="TASK-03">
	//   <previous-results>
	//     <context-handoff from="prev-prev-task" task="TASK-01" detail-level="SUMMARY"><what>The schema, with users &amp; sessions</what></context-handoff>
	//   </previous-results>
	// </dispatch>
}

func ExampleParseResult() {
	output := []byte(`All green now. The result:

<task-result task="TASK-03" agent="builder" status="PASS">
  <context-handoff from="builder"><what>Sort takes a func(a, b T) bool, so a < b works</what></context-handoff>
</task-result>`)
	r, err := dispatch.ParseResult(output, dispatch.Expect{Task: "TASK-03", Agent: dispatch.Builder})
	fmt.Println(r.Status, err)
	fmt.Println(r.Handoff.What)

	_, err = dispatch.ParseResult(output, dispatch.Expect{Task: "TASK-04", Agent: dispatch.Builder})
	fmt.Println(err)
	// Output:
	// PASS <nil>
	// Sort takes a func(a, b T) bool, so a < b works
	// no valid task-result: it names the TASK "TASK-03", asked was TASK-04
}

func ExampleResult_Encode() {
	r := dispatch.Result{
		Task: "TASK-03", Agent: dispatch.Verifier, Status: dispatch.Fail,
		Failures: []dispatch.Failure{{Check: "tests", Error: "want 401, got 200", Files: []string{"auth/login_test.go"}}},
	}
	if err := r.Encode(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// <task-result task="TASK-03" agent="verifier" status="FAIL">
	//   <failure-details><failure check="tests"><error>want 401, got 200</error><file>auth/login_test.go</file></failure></failure-details>
	// </task-result>
}
