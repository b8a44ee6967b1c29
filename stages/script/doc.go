// Package script performs stages with the commands that a TASK file holds: no
// agent is needed.
//
// Build runs the fences of `## Build`, Checks those of `## Verify`. A fence is
// one script and one process, so that `cd` and variables last from line to
// line: `bash -Eeu -o pipefail` for fences marked bash or not at all, `sh -eu`
// for those marked sh. It runs in the workspace, with nothing to read on its
// standard input and the environment that stages.Request.Environ describes.
//
// A fence fails as a whole, with the first command that fails. Which one that
// was, bash itself reports on standard error: `pipeline: line 43: go test ./…`,
// the line being that of the TASK file. sh has no means to do so.
//
// Build stops at the first fence that fails. Checks runs them all, so that a
// builder is told of everything it has to mend at once.
package script
