package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/tasks"
)

// chosen are the flags that say which TASKs a run is about.
type chosen struct {
	Dir        string
	Tasks      []string // TASK arguments: these and what they need
	Only       []string // exactly these
	From       []string // these, what depends on them, and what all of these need
	Until      []string // as Tasks
	Force      []string
	Downstream bool
}

func (c *chosen) addFlags(f *pflag.FlagSet) {
	f.StringSliceVar(&c.Only, "only", nil, "exactly these `TASKS`; what they need must be done")
	f.StringSliceVar(&c.From, "from", nil, "these `TASKS` and what depends on them")
	f.StringSliceVar(&c.Until, "until", nil, "these `TASKS` and what they need")
	f.StringSliceVarP(&c.Force, "force", "f", nil, "build these `TASKS` again although they are done")
	f.BoolVar(&c.Downstream, "downstream", false, "what depends on a TASK that is built again is built again too")
}

// arguments takes `[DIR] [TASK…]` apart: an argument that is a TASK's id is one.
func (c *chosen) arguments(args []string) error {
	for i, a := range args {
		switch _, isTask := tasks.ParseID(a); {
		case isTask:
			c.Tasks = append(c.Tasks, a)
		case i == 0:
			c.Dir = a
		default:
			return faultf(errUsage, "%q is not a TASK's id, such as TASK-03; the folder comes first", a)
		}
	}
	return nil
}

// selection turns the flags into the set of TASKs. done tells which TASKs are
// done already.
func (c *chosen) selection(g *tasks.Graph, done func(tasks.ID) bool) (scheduler.Selection, error) {
	sel := scheduler.Selection{Downstream: c.Downstream}
	force, err := idsOf(g, c.Force)
	if err != nil {
		return sel, err
	}
	if len(force) > 0 {
		sel.Force = force
	}
	only, err := idsOf(g, c.Only)
	if err != nil {
		return sel, err
	}
	for id := range only {
		t, _ := g.Get(id)
		for _, d := range t.Deps {
			if !only[d] && !done(d) {
				return sel, faultf(errUsage, "--only %s: %s, which it needs, is not done", id, d).then("pipeline run %s", id)
			}
		}
	}
	targets, err := idsOf(g, append(c.Tasks, c.Until...))
	if err != nil {
		return sel, err
	}
	from, err := idsOf(g, c.From)
	if err != nil {
		return sel, err
	}
	downstream(g, from)
	for id := range from {
		targets[id] = true
	}
	if len(targets)+len(only)+len(force) == 0 {
		return sel, nil
	}
	sel.Only = only
	for id := range targets {
		sel.Only[id] = true
		for a := range g.Ancestors(id, 0) {
			sel.Only[a] = true
		}
	}
	if len(targets)+len(only) == 0 {
		sel.Only = nil // --force alone narrows nothing
	}
	return sel, nil
}

// downstream adds everything that depends on a TASK of the set.
func downstream(g *tasks.Graph, set map[tasks.ID]bool) {
	for i := range g.Len() {
		for _, d := range g.Deps(i) {
			if set[g.At(d).ID] {
				set[g.At(i).ID] = true
			}
		}
	}
}

func idsOf(g *tasks.Graph, typed []string) (map[tasks.ID]bool, error) {
	out := map[tasks.ID]bool{}
	for _, t := range typed {
		id, err := taskOf(g, t)
		if err != nil {
			return nil, err
		}
		out[id] = true
	}
	return out, nil
}

// taskOf is the TASK that was typed: its id in any spelling, or its bare number.
func taskOf(g *tasks.Graph, typed string) (tasks.ID, error) {
	id, ok := typedID(typed)
	if !ok {
		return "", faultf(errUsage, "%q is not a TASK's id, such as TASK-03", typed)
	}
	if _, known := g.Index(id); !known {
		return "", faultf(errNothing, "there is no %s", id).then("pipeline graph")
	}
	return id, nil
}

// typedID is a TASK's id as people type it: in any spelling, or its bare number.
func typedID(typed string) (tasks.ID, bool) {
	if id, ok := tasks.ParseID(strings.ToUpper(typed)); ok {
		return id, true
	}
	return tasks.ParseID("TASK-" + typed)
}
