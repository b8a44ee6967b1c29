package tasks_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/tasks"
)

// Every row is the text of TASK-09.md beside TASK-01 to TASK-08.
func TestDependenciesAreReadWhereTheyBelong(t *testing.T) {
	t.Parallel()
	one := []tasks.ID{"TASK-01"}
	two := []tasks.ID{"TASK-01", "TASK-02"}
	for text, want := range map[string][]tasks.ID{
		"## Dependencies\n- TASK-01\n":                                    one,
		"### depends ON\n- TASK-01\n":                                     one,
		"## **의존성**:\n- TASK-01\n":                                        one,
		"## 依存関係\n- TASK-01\n":                                            one,
		"#### Dependencies\n- TASK-01\n":                                  nil,
		"# Dependencies\n- TASK-01\n":                                     nil,
		"## Dependencies\n1. `TASK-01`\n2. **TASK-02**: first\n":          two,
		"## Dependencies\n- [x] TASK-01\n- [TASK-02](TASK-02.md)\n":       two,
		"## Dependencies\n- task-1, Work-01-Task-002 (required)\n":        two,
		"## Dependencies\n- TASK-01-schema.md\n- TASK-02-2nd-try\n":       two,
		"## Dependencies\n- TASK-01 before TASK-03\n":                     one,
		"## Dependencies\n- TASK-01: then TASK-03\n":                      one,
		"## Dependencies\n- TASK-01 (not TASK-03)\n":                      one,
		"## Dependencies\n- TASK-01,\n  TASK-02\n":                        two,
		"## Dependencies\nTASK-01, TASK-02\n":                             two,
		"## Dependencies\nTASK-01 (a)\nTASK-02 (b)\n":                     two,
		"## Dependencies\nThis one follows\nTASK-03 in spirit.\n":         nil,
		"## Dependencies\n- TASK-02\n\n### Optional\n- TASK-01\n":         two,
		"## Dependencies\n- TASK-01, TASK-01\n- TASK-1\n":                 one,
		"## Dependencies\n- Depends on: TASK-01\n- Blocks: TASK-03\n":     one,
		"## Dependencies\n```\n- TASK-01\n```\n":                          nil,
		"## Dependencies\n<!-- - TASK-03 -->\n- TASK-01\n":                one,
		"## Dependencies\n- none\n":                                       nil,
		"## Dependencies\n- None (TASK-03 comes later)\n":                 nil,
		"## Dependencies\n–\n":                                            nil,
		"## Dependencies\n- なし\n":                                         nil,
		"## Dependencies\n\n## Scope\n- TASK-03\n":                        nil,
		"> Depends on: TASK-01\n":                                         one,
		"> **Depends on:** TASK-01\n> Size: TASK-03\n":                    one,
		"> `선행 TASK`： TASK-01 / TASK-02\n":                                two,
		"> 선행 TASK-01 (완료: 어제) | 후속: TASK-03\n":                           one,
		"> Depends on: TASK-01,\n> TASK-02\n":                             two,
		"> Size: S | Depends on: TASK-01 | Successors: TASK-03\n":         one,
		"> - 의존: TASK-01\n":                                               one,
		"> Depends on TASK-01\n":                                          one,
		"> Depends on the weather, and TASK-03\n":                         nil,
		"> ```\n> Depends on: TASK-03\n> ```\n":                           nil,
		"# T\n\ntext\n\n> Depends on: TASK-01\n":                          one,
		"# T\n\n## Scope\n\n> Depends on: TASK-03\n":                      nil,
		"# T\n\nDepends on: TASK-03\n":                                    nil,
		"## Overview\n| a | b |\n|-|-|\n| 선행 TASK | TASK-01, TASK-02 |\n": two,
		"### Task 개요\n| **의존** | `TASK-01` |\n|-|-|\n":                    one,
		"## Overview\n| a | b |\n|-|-|\n| Goal | TASK-03 |\n":             nil,
		"## Scope\n| a | b |\n|-|-|\n| Depends on | TASK-03 |\n":          nil,
		"    ## Dependencies\n    - TASK-03\n":                            nil,
		"---\ndepends: [TASK-01]\n---\n## Dependencies\n- TASK-1\n":       one,
	} {
		require.Equal(t, want, depsOf(t, text), "%s", text)
	}
}

func TestTwoPlacesThatDisagreeAreAnErrorNamingBothLines(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"TASK-09.md:3:4: lines 1 and 3 of this file disagree about the dependencies (TASK-01, none): keep one of them"},
		errorsOf(t, withEight("> Depends on: TASK-01\n\n## Dependencies\n- none\n"))[:1])
	require.Len(t, errorsOf(t, withEight("---\ndepends: [TASK-01]\n---\n> 의존: TASK-02\n")), 1)
	require.Len(t, errorsOf(t, withEight("> 의존: TASK-02 | 선행: TASK-01\n")), 1)
}

func TestRangesAndShorthandAreErrorsAndNeverGuessed(t *testing.T) {
	t.Parallel()
	for _, list := range []string{
		"TASK-01~03", "TASK-01 ~ TASK-03", "TASK-01..TASK-03", "TASK-01-03", "TASK-01–TASK-03", "TASK-01 to TASK-03",
		"TASK-01, 02", "TASK-01/02", "TASK-01 and 02", "TASK-01, TASK-02, 03", "`TASK-01`~`TASK-03`",
	} {
		got := errorsOf(t, withEight("## Dependencies\n- "+list+" (required)\n"))
		require.Len(t, got, 1, list)
		require.Contains(t, got[0], "TASK-09.md:2:", list)
		require.Contains(t, got[0], "never guessed", list)
	}
	require.Equal(t, []tasks.ID{"TASK-01"}, depsOf(t, "## Dependencies\n- TASK-01 - 3 tables of it\n"))
}

func TestIDBehindOtherWordsIsWarnedOf(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"## Dependencies\n- TASK-01 and TASK-02\n",
		"## Dependencies\n- after TASK-02\n",
		"> 의존: 어제의 TASK-02\n",
		"## Dependencies\n| TASK | Why |\n|-|-|\n| TASK-02 | first |\n",
	} {
		_, warnings := load(t, withEight(text))
		require.Len(t, warnings, 1, text)
		require.Contains(t, warnings[0], "TASK-02", text)
	}
	_, warnings := load(t, withEight("## Dependencies\n- TASK-02: see TASK-02\n"))
	require.Empty(t, warnings)
}

func TestPrefixOfAnotherWorkIsWarnedOfOnce(t *testing.T) {
	t.Parallel()
	f := withEight("## Dependencies\n- WORK-77-TASK-01\n- WORK-77-TASK-02\n- WORK-01-TASK-03\n")
	f["PLAN.md"] = "# WORK-31: x\n"
	f["WORK-31-TASK-10.md"] = "# x\n"
	g, warnings := load(t, f)
	require.Equal(t, 10, g.Len())
	require.Len(t, warnings, 1)
	require.Contains(t, warnings[0], `TASK-09.md:2:3: warning: the prefix "WORK-77" of TASK-01`)
}

func TestSelfDependencyIsNoCycle(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"TASK-01.md:2:3: TASK-01 depends on itself: take TASK-01 out of its dependencies"},
		errorsOf(t, folder{"TASK-01.md": "## Dependencies\n- TASK-01\n"}))
}

func TestCycleStandsAtTheDependencyOfItsSmallestID(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"TASK-02.md:3:3: dependency cycle: TASK-02 → TASK-03 → TASK-02; take one of these out"}, errorsOf(t, folder{
		"TASK-01.md": "# x\n",
		"TASK-02.md": "## Dependencies\n- TASK-01\n- TASK-03\n",
		"TASK-03.md": "> 의존: TASK-02\n",
	}))
}
