// Package stagetest is the conformance suite that every executor passes.
//
// Whoever writes an executor writes a function that makes it show each of a
// few behaviours, and calls Run:
//
//	func TestConformance(t *testing.T) {
//		stagetest.Run(t, dispatch.Builder, func(t *testing.T, b stagetest.Behaviour, req *stages.Request) stages.Executor {
//			return command.Executor{Argv: []string{"testdata/fake", string(b)}}
//		})
//	}
//
// The suite then demands what the pipeline relies on: a verdict with a
// handoff, an error and nothing left running when the context ends, no state
// shared between stages that run at once, nothing written outside the
// workspace, a result that survives being written and read.
//
// Request and Recorder are of use in other tests, too.
package stagetest
