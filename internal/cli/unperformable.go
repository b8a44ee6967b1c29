package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// unperformable warns of TASKs that nobody can build or verify as configured.
func (p *Process) unperformable(f *folder) []tasks.Problem {
	root, _ := gitRoot(p.Dir)
	executors := workshop{p: p, config: f.Config, root: root, mask: p.mask(f.Config)}.executors()
	var problems []tasks.Problem
	for t := range f.Graph.All() {
		builder, verifier := f.executors(&t)
		for _, stage := range [...]struct{ verb, executor string }{{"build", builder}, {"verify", verifier}} {
			if err := able(executors, stage.executor, t); err != nil {
				problems = append(problems, tasks.Problem{
					File:     t.File,
					Severity: tasks.Warning,
					Message:  fmt.Sprintf("nobody can %s %s: %v", stage.verb, t.ID, err),
				})
			}
		}
	}
	return problems
}

// able tells why the executor of that name could not perform a stage of a TASK.
func able(executors map[string]stages.Executor, name string, t tasks.Task) error {
	executor, ok := executors[name]
	if !ok {
		return fmt.Errorf("there is no executor %q: add it under executors: of pipeline.yaml, or name one of %s",
			name, strings.Join(slices.Sorted(maps.Keys(executors)), ", "))
	}
	return stages.Ready(executor, t)
}
