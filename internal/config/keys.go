package config

import (
	"time"

	"github.com/taskpipeline/pipeline/stages"
)

// keys are the keys of a configuration but for executors, in the order in which
// they are shown.
func keys() []key[Config] {
	return []key[Config]{
		number("version", func(c *Config) *int { return &c.Version }, 1, 1),
		text("tasks", func(c *Config) *string { return &c.Tasks }, required),
		number("jobs", func(c *Config) *int { return &c.Jobs }, 1, 1024),
		number("attempts", func(c *Config) *int { return &c.Attempts }, 1, 1000),
		choice("isolation", func(c *Config) *Isolation { return &c.Isolation }, Worktree, None),
		text("branch", func(c *Config) *string { return &c.Branch }, optional),
		duration("timeout", func(c *Config) *time.Duration { return &c.Timeout }, required),
		duration("idle_timeout", func(c *Config) *time.Duration { return &c.IdleTimeout }, optional),
		duration("max_wait", func(c *Config) *time.Duration { return &c.MaxWait }, required),
		choice("undeclared", func(c *Config) *stages.Undeclared { return &c.Undeclared }, stages.Include, stages.FailOnThem),
		choice("reverify", func(c *Config) *Reverify { return &c.Reverify }, Always, Overlap, Never),
		truth("hooks", func(c *Config) *bool { return &c.Hooks }),
		list("landing_check", func(c *Config) *[]string { return &c.LandingCheck }),
		checks("quality", func(c *Config) *[]Check { return &c.Quality }),
		list("workspace.prepare", func(c *Config) *[]string { return &c.Workspace.Prepare }),
		list("workspace.prepare_key", func(c *Config) *[]string { return &c.Workspace.PrepareKey }),
		list("workspace.link", func(c *Config) *[]string { return &c.Workspace.Link }),
		number("window.full", func(c *Config) *int { return &c.Window.Full }, 1, 1_000_000),
		number("window.summary", func(c *Config) *int { return &c.Window.Summary }, 1, 1_000_000),
		text("stages.builder", func(c *Config) *string { return &c.Stages.Builder }, required),
		text("stages.verifier", func(c *Config) *string { return &c.Stages.Verifier }, required),
		text("stages.reverifier", func(c *Config) *string { return &c.Stages.Reverifier }, optional),
		amount("budget.usd", func(c *Config) *float64 { return &c.Budget.USD }),
		count("budget.tokens", func(c *Config) *int64 { return &c.Budget.Tokens }),
		size("limits.task_file", func(c *Config) *int64 { return &c.Limits.TaskFile }),
		size("limits.dispatch", func(c *Config) *int64 { return &c.Limits.Dispatch }),
		size("limits.output", func(c *Config) *int64 { return &c.Limits.Output }),
		size("limits.task_result", func(c *Config) *int64 { return &c.Limits.TaskResult }),
		size("limits.handoff_field", func(c *Config) *int64 { return &c.Limits.HandoffField }),
		number("limits.xml_depth", func(c *Config) *int { return &c.Limits.XMLDepth }, 8, 1024),
		number("limits.tasks", func(c *Config) *int { return &c.Limits.Tasks }, 1, 10_000_000),
	}
}
