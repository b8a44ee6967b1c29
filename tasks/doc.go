// Package tasks reads a folder of TASK files into an immutable dependency
// graph.
//
// # A tasks folder
//
// Every file named [PREFIX-]TASK-<digits>[-slug].md is a TASK; the folder is
// not searched recursively. A stem that ends in result, progress,
// verification, report, 수행결과 or 결과 (after "-" or "_", any case) is not a
// TASK, and any other file is ignored. Letter case counts; a near miss such as
// task-01.md is warned of. TASK-1, TASK-01 and WORK-20-TASK-001 are one id,
// compared by number and written "TASK-01"; two files for one id is an error.
//
// The name of the work is the id in the title of PLAN.md, else the folder's
// name.
//
// # A TASK file
//
// UTF-8 Markdown of at most [MaxFileSize] bytes; a byte order mark and CRLF are
// accepted, a NUL is read as U+FFFD. Front matter is optional:
//
//	---
//	depends: [TASK-01, TASK-02]   # a list of ids
//	builder: claude               # the executor of the builder stage
//	verifier: checks              # the executor of the verifier stage
//	timeout: 20m                  # wall-clock limit of each stage
//	locks: [database]             # TASKs sharing one never run together
//	approve: true                 # a person must agree before the commit
//	commit_type: feat             # feat, fix, chore, docs, test or refactor
//	---
//	# TASK-03: Log in with a password
//
//	## Dependencies
//	- TASK-01 (required)
//
//	## Files
//	| Path | Action | Description |
//	|------|--------|-------------|
//	| `auth/login.go` | CREATE | the handler |
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
// The file's name decides the id; the title is what follows the id in the
// first level-1 heading, else the slug, else the id. Fences of Build and Verify
// are scripts when their language is bash, sh or absent. A key that is unknown,
// null or of another type is an error at its place.
//
// # Dependencies
//
// A dependency is read only where one belongs: the front matter, a
// Dependencies heading of level 2 or 3, a blockquote before the first such
// heading, and a row of the table under Overview (or "Task 개요"). They share
// one set of keys, in any letter case: Depends, Depends on, Dependencies, 선행,
// 선행 TASK, 의존, 의존성, 의존관계, 依存, 依存関係. The list of ids at the start of
// the place is read up to "(", ":" or the first other word; none, 없음, なし and
// a dash mean that there are none. An id anywhere else, in prose or in code, is
// no dependency. Ranges and shorthand ("TASK-01~03", "TASK-01, 02") are errors,
// never guessed, and so are two places in one file that disagree.
//
// PLAN.md is read in the same way (bullets under a heading that starts with the
// TASK's id, and table columns whose header is one of the keys), but only for a
// TASK whose own file says nothing; where it disagrees with the file it is
// warned of.
//
// # The graph
//
// A [Graph] holds the TASKs in their stable order: again and again the smallest
// number among those whose dependencies were all taken. Distances are those of
// the shortest dependency path.
package tasks
