package gitrepo

import (
	"log/slog"
	"time"
)

// Isolation says where TASKs are built.
type Isolation string

// The two isolations.
const (
	Worktree Isolation = "worktree" // each TASK in a linked worktree of its own (the default)
	None     Isolation = "none"     // in the checkout itself: one TASK at a time
)

// Config says what a Repo works on. Dir and Session are needed.
type Config struct {
	Dir        string        // any path inside the repository
	Branch     string        // target branch; "" is the checked-out one
	Session    string        // id of the session: one element of a ref name
	TasksDir   string        // absolute path of the tasks folder
	Isolation  Isolation     // "" is Worktree
	Prepare    []string      // shell lines, run once in each new workspace
	PrepareKey []string      // slash-separated paths; when a workspace holds something else there, Prepare runs again
	Link       []string      // paths of the checkout shared into each workspace by a symlink; to be ignored by git
	HookLimit  time.Duration // for each hook that CommitHooks runs; 0 means none
	OutsideDir string        // absolute; where progress.md and result.md are kept when the tasks folder is not committed
	Logger     *slog.Logger  // nil discards
}
