package stagetest_test

import (
	"testing"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/command"
	"github.com/taskpipeline/pipeline/stages/stagetest"
)

// A whole test file of an executor: how it is made to show a behaviour, and
// the suite.
func ExampleRun() {
	test := func(t *testing.T) {
		stagetest.Run(t, dispatch.Builder, func(t *testing.T, b stagetest.Behaviour, req *stages.Request) stages.Executor {
			return command.Executor{Argv: []string{"testdata/fake-stage", string(b)}}
		})
	}
	_ = test // go test calls it
	// Output:
}
