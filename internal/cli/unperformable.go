package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taskpipeline/pipeline/tasks"
)

// unperformable warns of TASKs that nobody can build or verify as configured.
func (p *Process) unperformable(f *folder) []tasks.Problem {
	var problems []tasks.Problem
	for t := range f.Graph.All() {
		builder, verifier := f.executors(&t)
		for _, stage := range [...]struct{ verb, role, executor string }{
			{"build", "builder", builder},
			{"verify", "verifier", verifier},
		} {
			if why := p.cannot(f, &t, stage.role, stage.executor); why != "" {
				problems = append(problems, tasks.Problem{
					File:     t.File,
					Severity: tasks.Warning,
					Message:  fmt.Sprintf("nobody can %s %s: %s", stage.verb, t.ID, why),
				})
			}
		}
	}
	return problems
}

// cannot tells why an executor has nothing to do for a TASK; "" if it has.
func (p *Process) cannot(f *folder, t *tasks.Task, role, name string) string {
	if _, inGo := p.Executors[name]; inGo {
		return ""
	}
	executor, ok := f.Config.Executors[name]
	missing := func(section string) string {
		return fmt.Sprintf("it has no fence under \"## %s\", which is all that its %s, %s, runs; add one, or name another executor", section, role, name)
	}
	switch {
	case !ok:
		known := slices.Sorted(maps.Keys(f.Config.Executors))
		return fmt.Sprintf("there is no executor %q: add it under executors: of pipeline.yaml, or name one of %s", name, strings.Join(known, ", "))
	case executor.Script && len(t.Build) == 0:
		return missing("Build")
	case executor.Checks && len(t.Verify) == 0:
		return missing("Verify")
	}
	return ""
}
