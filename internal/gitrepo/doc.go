// Package gitrepo gives each TASK a tree of its own in a git repository and
// puts what was verified there on a branch, without ever touching what the
// user has not committed.
//
// Objects and refs are read, and objects written, through go-git; worktrees,
// files of a checkout, refs and textual merges go through the git command
// (2.38 or newer). Nothing here takes the lock of the repository: one process
// at a time works on one session, and that is the caller's promise.
//
// # On disk
//
// Everything lies in the git common directory, so that no checkout ever sees it:
//
//	<git common dir>/
//	├── pipeline/
//	│   ├── worktrees/<session>/slot-<n>/   linked worktrees, detached, one per TASK at work
//	│   ├── diffs/<session>/<TASK>.diff     what an attempt that met a conflict had changed
//	│   ├── indexes/<session>/              indexes in use for a moment: of hooks, of files that git converts
//	│   ├── checkout                        isolation none: whose TASK the checkout holds
//	│   └── landing                         a landing under way, or a checkout that is behind
//	├── worktrees/<id>/pipeline             whose slot a linked worktree is
//	└── refs/pipeline/<session>/<TASK>      the candidate commit of a TASK; with .snapshot
//	                                       its verified tree, with .progress its progress.md
//
// The two small records ("checkout" and a slot's "pipeline") are three lines:
// session, TASK (empty: free), base commit. "landing" is five: the checkout's
// root, the ref, and three commits: where its files stand, where the branch was
// when the landing began, where it goes.
// A slot's "prepared" is the SHA-256 of the prepare lines that ran in it and of
// what the paths of PrepareKey held then.
//
// A slot is reused by the next TASK: it is moved to the new base by its
// difference only, and cleaned of all that is not ignored.
package gitrepo
