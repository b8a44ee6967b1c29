// Package progress reads what a builder says of its work (progress.md), decides
// whether the work may be committed (the gate), and writes and reads what a
// TASK leaves behind (result.md).
//
// # progress.md
//
// Written by the builder; everything in it is a claim.
//
//	# TASK-03 Progress
//
//	- Status: COMPLETED
//	- Started: 2026-03-12T10:35:00Z
//	- Updated: 2026-03-12T10:52:10Z
//	- Files changed:
//	  - `auth/login.go` — CREATE
//	  - `auth/login_test.go` — MODIFY
//
// Status is PENDING, STARTED, IN_PROGRESS or COMPLETED. A path that a code span
// cannot hold is written as a Go string literal, in double quotes. See Parse for
// the other spellings that are read. At most 1 MiB.
//
// # result.md
//
// Written by the committer, in the TASK's commit.
//
//	# TASK-03 Result
//
//	> WORK: WORK-01 — User authentication
//	> Completed: 2026-03-12 10:53
//	> Status: **DONE**
//	> Spec: sha256:…
//
//	## Summary
//	## Completed Checklist
//	## Verification Results
//	## Files Changed
//	### Created / ### Modified / ### Deleted
//	## Issues Encountered
//	## Notes for Subsequent Tasks
//	## Context Handoff
//	### Builder Context (FULL)
//	- **what**: …
//	- **why**: …
//	- **caution**: …
//	- **incomplete**: …
//	### Verifier Context (FULL)
//
// The times are UTC. Further lines of a field are indented by two spaces; in the
// other texts a line that Markdown would take for structure begins with a
// backslash, and so does every comment. What is empty reads "None". See
// ParseResult for the dialects that are read.
package progress
