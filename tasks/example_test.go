package tasks_test

import (
	"fmt"
	"testing/fstest"

	"github.com/taskpipeline/pipeline/tasks"
)

func ExampleLoad() {
	folder := fstest.MapFS{
		"TASK-01.md": {Data: []byte("# TASK-01: Create the table\n")},
		"TASK-02.md": {Data: []byte("# TASK-02: Fill the table\n\n## Dependencies\n- TASK-01 (required)\n")},
		"TASK-03.md": {Data: []byte("---\ndepends: [TASK-02]\n---\n# TASK-03: Print the table\n")},
	}
	g, problems, err := tasks.Load(folder, "WORK-01")
	if err != nil || g == nil {
		fmt.Println(err, problems)
		return
	}
	for task := range g.All() {
		fmt.Println(task.ID, task.Title)
	}
	for ancestor, distance := range g.Ancestors("TASK-03", 0) {
		fmt.Println("TASK-03 needs", ancestor, "at distance", distance)
	}
	// Output:
	// TASK-01 Create the table
	// TASK-02 Fill the table
	// TASK-03 Print the table
	// TASK-03 needs TASK-02 at distance 1
	// TASK-03 needs TASK-01 at distance 2
}

func ExampleNewGraph() {
	_, problems := tasks.NewGraph([]tasks.Task{
		{ID: "TASK-01", File: "TASK-01.md", Deps: []tasks.ID{"TASK-02"}},
		{ID: "TASK-02", File: "TASK-02.md", Deps: []tasks.ID{"TASK-01"}},
	})
	fmt.Println(problems[0])
	// Output:
	// TASK-01.md: dependency cycle: TASK-01 → TASK-02 → TASK-01; take one of these out
}
