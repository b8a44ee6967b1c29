package config

import (
	"time"

	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/window"
)

// Config is what a run goes by, after all sources have been read. Every field
// has its value, the default where nobody said otherwise.
type Config struct {
	Version      int
	Tasks        string // as written; see TasksDir
	Jobs         int    // TASKs at work at the same time; 1 if Isolation is None
	Attempts     int    // FAILs that a TASK may have
	Isolation    Isolation
	Branch       string        // "" for the one that is checked out
	Timeout      time.Duration // wall-clock limit of a stage
	IdleTimeout  time.Duration // limit without output; see Executor.IdleTimeout
	MaxWait      time.Duration // for rate limits, in all, per TASK
	Undeclared   stages.Undeclared
	Reverify     Reverify
	Hooks        bool     // run the repository's commit hooks
	LandingCheck []string // argv run on each tree that is to land; empty for none
	Quality      []Check  // the project's own checks, run on what a builder leaves; empty for none
	Workspace    Workspace
	Window       window.Borders
	Stages       Stages
	Budget       Budget
	Limits       Limits
	Executors    map[string]Executor // by name, script and checks always among them

	// TasksDir is Tasks as an absolute path: it starts from the folder of the
	// file that says it, from the working directory for a flag or a variable,
	// and from the repository's root otherwise.
	TasksDir string
	// File is the absolute path of the pipeline.yaml that was read; "" for none.
	File string

	origins map[string]Origin
}

// Isolation is where TASKs are built.
type Isolation string

// The isolations.
const (
	Worktree Isolation = "worktree" // each TASK in a git worktree of its own
	None     Isolation = "none"     // one at a time, in the checkout itself
)

// Reverify is when a verifier runs again because the branch has moved.
type Reverify string

// The policies.
const (
	Always  Reverify = "always"
	Overlap Reverify = "overlap"
	Never   Reverify = "never"
)

// Workspace is how a new workspace is made ready.
type Workspace struct {
	Prepare    []string // shell lines, run once in each new workspace
	PrepareKey []string // files whose change makes Prepare run again
	Link       []string // ignored paths of the checkout shared into it
}

// Stages names the executor of each stage.
type Stages struct {
	Builder    string
	Verifier   string
	Reverifier string // on a moved base; "" for the verifier
}

// Check is one of the project's own checks.
type Check struct {
	Name    string
	Argv    []string
	Timeout time.Duration // 0 for that of a stage
}

// Budget is what a session may cost; 0 means no limit.
type Budget struct {
	USD    float64
	Tokens int64
}

// Limits bound what is read. Sizes are in bytes.
type Limits struct {
	TaskFile     int64
	Dispatch     int64
	Output       int64 // of a stage, kept
	TaskResult   int64
	HandoffField int64
	XMLDepth     int
	Tasks        int
}

// Default is the configuration without any source, on a machine of so many
// CPUs.
func Default(cpus int) Config {
	return Config{
		Version:     1,
		Tasks:       "tasks",
		Jobs:        max(1, min(4, cpus)),
		Attempts:    3,
		Isolation:   Worktree,
		Timeout:     30 * time.Minute,
		IdleTimeout: 10 * time.Minute,
		MaxWait:     6 * time.Hour,
		Undeclared:  stages.Include,
		Reverify:    Always,
		Window:      window.Borders{Full: 1, Summary: 2},
		Stages:      Stages{Builder: "script", Verifier: "checks"},
		Limits: Limits{
			TaskFile:     1 << 20,
			Dispatch:     4 << 20,
			Output:       64 << 20,
			TaskResult:   4 << 20,
			HandoffField: 64 << 10,
			XMLDepth:     64,
			Tasks:        100_000,
		},
		Executors: map[string]Executor{
			"script": {Script: true},
			"checks": {Checks: true},
		},
		origins: map[string]Origin{},
	}
}
