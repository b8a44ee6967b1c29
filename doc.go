// Package pipeline turns a folder of TASK files into verified git commits.
//
// It is the door to the engine for Go programs. Who only wants the command
// installs cmd/pipeline; who has stages of their own writes a main of five
// lines around [Main].
//
// # A tour
//
// A TASK is a Markdown file, one piece of work that becomes one commit:
//
//	# TASK-03: Log in with a password
//
//	## Dependencies
//	- TASK-01
//
//	## Build
//	```bash
//	go generate ./auth
//	```
//
//	## Verify
//	```bash
//	go test ./auth
//	```
//
// Package tasks reads a folder of them into a graph. Each goes through three
// stages: the builder does the work in a git worktree of its own, the verifier
// judges a snapshot of that tree, and the committer makes a commit of exactly
// this snapshot, provided that what the builder claims in progress.md is what
// the diff shows. A FAIL of any of them sends the TASK back to the builder, at
// most three attempts in all; the last one halts the pipeline.
//
// What one TASK has to tell those after it is its handoff, four fields: what,
// why, caution, incomplete. Package window says how far it travels: in full to
// the TASKs that directly depend on it, summed up to those one step further,
// and no further. Package dispatch writes it into the message that starts a
// stage, and reads the result that ends one.
//
// Package scheduler decides and performs. Its Plan is plain data, folded from
// events; its Runner records an event before it acts on it. So a run that was
// killed goes on where it was, and everything that shows a run, a terminal, a
// page or a test, reads the same record.
//
// # Executors
//
// Whatever performs a builder or a verifier is a stages.Executor: an interface
// of one method, as http.Handler is. A coding agent's command line, any program
// and the TASK's own fences are configured in pipeline.yaml. A Go function
// joins them by a name:
//
//	func main() {
//		os.Exit(pipeline.Main(os.Args[1:], pipeline.Executors{
//			"mine": stages.Func(build),
//		}))
//	}
//
// and pipeline.yaml says `stages: {builder: mine}`. Package stages/stagetest
// checks that an executor keeps to the contract.
package pipeline
