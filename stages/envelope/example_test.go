package envelope_test

import (
	"fmt"

	"github.com/taskpipeline/pipeline/stages/envelope"
)

// A reply is found in what the agent says around it. One that cannot be used
// is told by its field, so that the agent can mend it.
func Example() {
	_, _, err := envelope.Find(envelope.Build, []byte(`Done! {"status": "success", "changed_files": null}`))
	fmt.Println(err)

	reply := "All right:\n```json\n" + `{"status": "success", "summary": "added the login form", "changed_files": ["login.go"]}` + "\n```"
	e, _, err := envelope.Find(envelope.Build, []byte(reply))
	if err != nil {
		fmt.Println(err)
		return
	}
	result := envelope.Result(e)
	fmt.Println(result.Status, result.Handoff.What, result.FilesChanged[0].Path)
	// Output:
	// changed_files: null where an array of strings is expected
	// PASS added the login form login.go
}
