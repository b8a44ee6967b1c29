package tasks_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/tasks"
)

// planned reads two silent TASKs beside that plan and returns what TASK-02 needs.
func planned(t *testing.T, plan string) []tasks.ID {
	t.Helper()
	g, _ := load(t, folder{"TASK-01.md": "# x\n", "TASK-02.md": "# x\n", "PLAN.md": plan})
	task, _ := g.Get("TASK-02")
	return task.Deps
}

func TestPlanSpeaksForASilentTask(t *testing.T) {
	t.Parallel()
	one := []tasks.ID{"TASK-01"}
	for plan, want := range map[string][]tasks.ID{
		"### TASK-02: x\n- **Depends on**: TASK-01\n":                           one,
		"### WORK-01-TASK-2\n- 의존성: TASK-01 (완료)\n":                             one,
		"### TASK-02: x\n#### Notes\n- Depends on: TASK-01\n":                   one,
		"### TASK-02: x\n## Other\n- Depends on: TASK-01\n":                     nil,
		"### TASK-02: x\n- Scope: TASK-01\n":                                    nil,
		"### TASK-02: x\n\nDepends on: TASK-01\n":                               nil,
		"| ID | 의존성 |\n|-|-|\n| TASK-02 | TASK-01 |\n":                          one,
		"| Depends on | # | Task |\n|-|-|-|\n| TASK-01 | 7 | **TASK-02** x |\n": one,
		"| ID | Notes |\n|-|-|\n| TASK-02 | TASK-01 |\n":                        nil,
		"```\n### TASK-02\n- Depends on: TASK-01\n```\n":                        nil,
		"---\nstatus: draft\n---\n### TASK-02: x\n- Depends on: TASK-01\n":      one,
	} {
		require.Equal(t, want, planned(t, plan), plan)
	}
}

func TestTaskFileWinsOverThePlanWithAWarningAtThePlansLine(t *testing.T) {
	t.Parallel()
	g, warnings := load(t, folder{
		"TASK-01.md": "# x\n",
		"TASK-02.md": "## Dependencies\n- none\n",
		"PLAN.md":    "# Plan\n\n### TASK-02: x\n- Depends on: TASK-01\n",
	})
	task, _ := g.Get("TASK-02")
	require.Empty(t, task.Deps)
	require.Equal(t, []string{"PLAN.md:4:3: warning: TASK-02 needs TASK-01 here but none in TASK-02.md, which counts: bring this line up to date"}, warnings)
}

func TestErrorsOfThePlanStandAtItsLine(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"PLAN.md:2:15: TASK-01 depends on TASK-07, which does not exist: add TASK-07.md or take it out"},
		errorsOf(t, folder{"TASK-01.md": "# x\n", "PLAN.md": "## TASK-01\n- Depends on: TASK-07\n"}))
	got := errorsOf(t, folder{"TASK-01.md": "# x\n", "TASK-02.md": "# x\n", "PLAN.md": "## TASK-02\n- Depends on: TASK-01\n- 의존: none\n"})
	require.Len(t, got, 1)
	require.Contains(t, got[0], "lines 2 and 3")
}

func TestPlanIsNotLookedAtWhereTheTaskSpeaks(t *testing.T) {
	t.Parallel()
	g, warnings := load(t, folder{"TASK-01.md": "> 의존: 없음\n", "PLAN.md": "## TASK-01\n- Depends on: TASK-05~07\n"})
	require.Equal(t, 1, g.Len())
	require.Len(t, warnings, 1)
}

func TestPlannedTaskWithoutAFileIsWarnedOf(t *testing.T) {
	t.Parallel()
	_, warnings := load(t, folder{"TASK-01.md": "# x\n", "PLAN.md": "## TASK-02\n- Depends on: TASK-01\n"})
	require.Equal(t, []string{"PLAN.md:2:3: warning: TASK-02 has no file: add TASK-02.md or take it out of the plan"}, warnings)
}
