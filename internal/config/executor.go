package config

import (
	"maps"
	"slices"
	"time"
)

// Reply is the form in which an executor answers.
type Reply string

// The two forms.
const (
	XML  Reply = "xml"
	JSON Reply = "json"
)

// Executor is one entry of `executors:`. Exactly one of Command, Agent, Script
// and Checks is set.
type Executor struct {
	Command []string // argv
	Agent   string   // the agent CLI: claude, codex, …
	Script  bool     // the TASK's ## Build fences
	Checks  bool     // the TASK's ## Verify fences

	Args     []string // added to the argv
	Env      map[string]string
	Reply    Reply
	Model    string
	Retries  int // corrections after a violated gate
	Gates    []string
	Fresh    bool
	Fallback []string
	Sandbox  string
	Prompts  string // folder of own prompt templates, as written

	Timeout     time.Duration // its own, else that of the configuration
	IdleTimeout time.Duration // its own, else that of the configuration where somebody set it; by default only agents have one; 0 for none
}

// Kind is the key that says what the executor is: command, agent, script or
// checks; "" if there is not exactly one.
func (e Executor) Kind() string {
	kind := ""
	for name, is := range map[string]bool{"command": len(e.Command) > 0, "agent": e.Agent != "", "script": e.Script, "checks": e.Checks} {
		if is && kind != "" {
			return ""
		}
		if is {
			kind = name
		}
	}
	return kind
}

// Argv is a command with its arguments.
func (e Executor) Argv() []string { return slices.Concat(e.Command, e.Args) }

func executorKeys() []key[Executor] {
	return []key[Executor]{
		list("command", func(e *Executor) *[]string { return &e.Command }),
		text("agent", func(e *Executor) *string { return &e.Agent }, required),
		truth("script", func(e *Executor) *bool { return &e.Script }),
		truth("checks", func(e *Executor) *bool { return &e.Checks }),
		list("args", func(e *Executor) *[]string { return &e.Args }),
		environment("env", func(e *Executor) *map[string]string { return &e.Env }),
		choice("reply", func(e *Executor) *Reply { return &e.Reply }, XML, JSON),
		text("model", func(e *Executor) *string { return &e.Model }, required),
		number("retries", func(e *Executor) *int { return &e.Retries }, 0, 100),
		list("gates", func(e *Executor) *[]string { return &e.Gates }),
		truth("fresh", func(e *Executor) *bool { return &e.Fresh }),
		list("fallback", func(e *Executor) *[]string { return &e.Fallback }),
		text("sandbox", func(e *Executor) *string { return &e.Sandbox }, required),
		text("prompts", func(e *Executor) *string { return &e.Prompts }, required),
		duration("timeout", func(e *Executor) *time.Duration { return &e.Timeout }, required),
		duration("idle_timeout", func(e *Executor) *time.Duration { return &e.IdleTimeout }, optional),
	}
}

// names are the executors' names, sorted.
func (c Config) names() []string { return slices.Sorted(maps.Keys(c.Executors)) }
