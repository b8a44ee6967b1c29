package view

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/tasks"
)

// graphOf builds a graph from lines such as "3: 1 2".
func graphOf(t *testing.T, lines ...string) *tasks.Graph {
	t.Helper()
	id := func(s string) tasks.ID {
		id, ok := tasks.ParseID("TASK-" + s)
		require.True(t, ok, s)
		return id
	}
	var list []tasks.Task
	for _, line := range lines {
		name, needs, _ := strings.Cut(line, ":")
		one := tasks.Task{ID: id(name), Title: "Title " + name, File: string(id(name)) + ".md"}
		for _, n := range strings.Fields(needs) {
			one.Deps = append(one.Deps, id(n))
		}
		list = append(list, one)
	}
	g, problems := tasks.NewGraph(list)
	require.Empty(t, problems)
	return g
}

func draw(t *testing.T, g *tasks.Graph) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, GraphText(&b, g, 80))
	return b.String()
}

func TestAChainIsOneStraightLine(t *testing.T) {
	t.Parallel()
	require.Equal(t, strings.TrimLeft(`
1  ○  TASK-01  Title 1
2  ●  TASK-02  Title 2
3  ◆  TASK-03  Title 3
`, "\n"), draw(t, graphOf(t, "1", "2: 1", "3: 2")))
}

func TestADiamondOpensAndCloses(t *testing.T) {
	t.Parallel()
	require.Equal(t, strings.TrimLeft(`
1  ○    TASK-01  Title 1
2  ├─●  TASK-02  Title 2
   ● │  TASK-03  Title 3
3  ◆─╯  TASK-04  Title 4
`, "\n"), draw(t, graphOf(t, "1", "2: 1", "3: 1", "4: 2 3")))
}

func TestARailThatIsOnlyCrossedStaysWhole(t *testing.T) {
	t.Parallel()
	require.Equal(t, strings.TrimLeft(`
1  ○      TASK-01  Title 1
   │ ○    TASK-02  Title 2
2  ├─│─◆  TASK-03  Title 3
   ├─◆    TASK-04  Title 4
   ◆      TASK-05  Title 5
`, "\n"), draw(t, graphOf(t, "1", "2", "3: 1", "4: 1 2", "5: 1")))
}

func TestUnconnectedTasksCannotPassForAChain(t *testing.T) {
	t.Parallel()
	require.Equal(t, strings.TrimLeft(`
1  ◇  TASK-01  Title 1
   ◇  TASK-02  Title 2
`, "\n"), draw(t, graphOf(t, "1", "2")))
}

func TestAGraphTooWideForRailsIsListed(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := 1; i <= 30; i++ {
		lines = append(lines, fmt.Sprint(i))
	}
	for i := 31; i <= 60; i++ {
		lines = append(lines, fmt.Sprintf("%d: %d %d", i, i-30, 61-i))
	}
	got := draw(t, graphOf(t, lines...))
	require.Contains(t, got, "1  TASK-01  Title 1\n")
	require.Contains(t, got, "2  TASK-31 ← 01 30  Title 31\n")
}

func TestARowNeverExceedsTheTerminal(t *testing.T) {
	t.Parallel()
	g, problems := tasks.NewGraph([]tasks.Task{{ID: "TASK-01", Title: strings.Repeat("비밀번호로 로그인 ", 20)}})
	require.Empty(t, problems)
	got := draw(t, g)
	require.LessOrEqual(t, len([]rune(got)), 80)
	require.True(t, strings.HasSuffix(got, "…\n"), got)
}

func TestATitleCannotSteerTheTerminal(t *testing.T) {
	t.Parallel()
	g, problems := tasks.NewGraph([]tasks.Task{{ID: "TASK-01", Title: "a\x1b[2Jb\nTASK-02  c\u202e"}})
	require.Empty(t, problems)
	require.Equal(t, "1  ◇  TASK-01  a\uFFFD[2Jb TASK-02  c\uFFFD\n", draw(t, g))
}

func TestMermaidEscapesTitles(t *testing.T) {
	t.Parallel()
	g, problems := tasks.NewGraph([]tasks.Task{
		{ID: "TASK-01", Title: `say "hi" <b>`},
		{ID: "TASK-02", Title: "next", Deps: []tasks.ID{"TASK-01"}},
	})
	require.Empty(t, problems)
	var b strings.Builder
	require.NoError(t, GraphMermaid(&b, g))
	require.Equal(t, strings.TrimLeft(`
flowchart TD
  TASK01["TASK-01 say #34;hi#34; #60;b#62;"]
  TASK02["TASK-02 next"]
  TASK01 --> TASK02
`, "\n"), b.String())
}
