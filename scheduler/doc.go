// Package scheduler turns a graph of TASKs into steps and performs them.
//
// A Plan is plain data folded from Events: it has no clock, no goroutine and
// reads no file. It answers one question, Next: what may be done now. A Runner
// asks it, performs the actions on executors, workspaces and the lander, and
// changes the Plan only by recording an Event and then applying it. So a run
// that was killed goes on by applying its record to a new Plan, and everything
// that shows a run folds the same events.
//
// # Events
//
// Facts (run_started, run_joined, task_respecified, stage_started,
// stage_finished, landing_finished, wait_started, wait_ended, command) are all
// that the Plan knows. Conclusions (task_started, task_landed, task_failed,
// task_skipped, run_halted, run_finished) are written for readers; when a
// record is replayed they are compared with what the Plan concludes, and a
// difference is an error. Evidence (agent_sent, agent_replied, warning) is
// never looked at.
//
// # A TASK's way
//
// builder#n → verifier#n → committer#n → landing. A FAIL of any of the three
// leads to builder#n+1, up to Options.Attempts of them; the last makes the TASK
// FAILED and halts the pipeline: no new TASK starts. A landing that finds the
// branch moved leads to committer#n.2, which makes a candidate of the merged
// tree, then to verifier#n.2 on that candidate, then to another landing. The
// candidates that are about to land stand on one another and are verified at
// once. A conflict leads to builder#n+1 on the new base and is counted apart.
package scheduler
