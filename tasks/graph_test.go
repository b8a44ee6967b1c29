package tasks_test

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taskpipeline/pipeline/tasks"
)

// anyPlan draws up to 30 TASKs with scattered numbers and no cycle: what a TASK
// needs stands before it in a drawn order that is not that of the numbers.
func anyPlan(t *rapid.T) []tasks.Task {
	numbers := rapid.SliceOfNDistinct(rapid.IntRange(0, 200), 0, 30, rapid.ID[int]).Draw(t, "numbers")
	list := make([]tasks.Task, len(numbers))
	for i, n := range numbers {
		list[i].ID = id(n)
		for j := range i {
			if rapid.IntRange(0, 4).Draw(t, "edge") == 0 {
				list[i].Deps = append(list[i].Deps, list[j].ID)
			}
		}
	}
	return rapid.Permutation(list).Draw(t, "list")
}

func mustGraph(t *rapid.T, list []tasks.Task) *tasks.Graph {
	g, problems := tasks.NewGraph(list)
	if g == nil {
		t.Fatalf("no graph: %v", problems)
	}
	return g
}

func TestOrderTakesTheSmallestReadyNumberAgainAndAgain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := anyPlan(t)
		g := mustGraph(t, list)
		taken := map[tasks.ID]bool{}
		for got := range g.All() {
			var smallest tasks.ID
			for _, task := range list {
				ready := !taken[task.ID] && !slices.ContainsFunc(task.Deps, func(d tasks.ID) bool { return !taken[d] })
				if ready && (smallest == "" || task.ID.Number() < smallest.Number()) {
					smallest = task.ID
				}
			}
			if got.ID != smallest {
				t.Fatalf("took %s where %s was the smallest", got.ID, smallest)
			}
			taken[got.ID] = true
		}
		if len(taken) != len(list) {
			t.Fatalf("%d of %d TASKs in the order", len(taken), len(list))
		}
	})
}

// distances walks breadth first, the plain way.
func distances(list []tasks.Task, from tasks.ID) map[tasks.ID]int {
	deps := map[tasks.ID][]tasks.ID{}
	for _, task := range list {
		deps[task.ID] = task.Deps
	}
	found := map[tasks.ID]int{from: 0}
	for queue := []tasks.ID{from}; len(queue) > 0; queue = queue[1:] {
		for _, d := range deps[queue[0]] {
			if _, seen := found[d]; !seen {
				found[d] = found[queue[0]] + 1
				queue = append(queue, d)
			}
		}
	}
	delete(found, from)
	return found
}

func TestAncestorsComeByShortestDistanceThenNumber(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := anyPlan(t)
		g := mustGraph(t, list)
		within := rapid.IntRange(-1, 4).Draw(t, "within")
		for _, task := range list {
			want := distances(list, task.ID)
			lastDistance, lastNumber, count := 0, -1, 0
			for ancestor, distance := range g.Ancestors(task.ID, within) {
				if want[ancestor] != distance {
					t.Fatalf("%s is %d from %s, not %d", ancestor, want[ancestor], task.ID, distance)
				}
				if distance < lastDistance || distance == lastDistance && ancestor.Number() <= lastNumber {
					t.Fatalf("%s at %d is out of order", ancestor, distance)
				}
				lastDistance, lastNumber = distance, ancestor.Number()
				count++
			}
			for _, d := range want {
				if within <= 0 || d <= within {
					count--
				}
			}
			if count != 0 {
				t.Fatalf("%d ancestors too many for %s", count, task.ID)
			}
		}
	})
}

func TestPathIsOneOfTheShortest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := anyPlan(t)
		g := mustGraph(t, list)
		for _, task := range list {
			want := distances(list, task.ID)
			for _, other := range list {
				path := g.Path(task.ID, other.ID)
				d, reachable := want[other.ID]
				switch {
				case other.ID == task.ID:
					d = 0
				case !reachable:
					if path != nil {
						t.Fatalf("a path %v to what is no ancestor", path)
					}
					continue
				}
				if len(path) != d+1 || path[0] != task.ID || path[d] != other.ID {
					t.Fatalf("path %v from %s to %s at distance %d", path, task.ID, other.ID, d)
				}
				for i := range d {
					step, _ := g.Get(path[i])
					if !slices.Contains(step.Deps, path[i+1]) {
						t.Fatalf("%s does not need %s", path[i], path[i+1])
					}
				}
			}
		}
	})
}

func TestPositionsAgreeWithIDs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := mustGraph(t, anyPlan(t))
		for i := range g.Len() {
			at, ok := g.Index(g.At(i).ID)
			if !ok || at != i {
				t.Fatalf("position %d is %d", i, at)
			}
			var names []tasks.ID
			for _, d := range g.Deps(i) {
				names = append(names, g.At(d).ID)
				if d >= i || !slices.Contains(g.Dependents(d), i) {
					t.Fatalf("%d needs %d", i, d)
				}
			}
			slices.SortFunc(names, tasks.ID.Compare)
			if !slices.Equal(names, g.At(i).Deps) || !slices.IsSorted(g.Deps(i)) || !slices.IsSorted(g.Dependents(i)) {
				t.Fatalf("deps %v, want %v", names, g.At(i).Deps)
			}
		}
	})
}

func TestWaveIsOneBehindTheLastDependency(t *testing.T) {
	t.Parallel()
	g := newGraph(t, []tasks.Task{
		{ID: "TASK-01", Deps: []tasks.ID{"TASK-04"}},
		{ID: "TASK-02", Deps: []tasks.ID{"TASK-01", "TASK-03"}},
		{ID: "TASK-03"},
		{ID: "TASK-04"},
	})
	require.Equal(t, [][]tasks.ID{{"TASK-03", "TASK-04"}, {"TASK-01"}, {"TASK-02"}}, g.Waves())
}

func TestEveryThingWrongWithAListIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	g, problems := tasks.NewGraph([]tasks.Task{
		{ID: "TASK-01", File: "a.md", Deps: []tasks.ID{"TASK-02"}},
		{ID: "TASK-02", File: "b.md", Deps: []tasks.ID{"TASK-01"}},
		{ID: "TASK-02", File: "c.md"},
		{ID: "TASK-03", File: "d.md", Deps: []tasks.ID{"TASK-03", "TASK-09"}},
		{ID: "TASK-4", File: "e.md"},
	})
	require.Nil(t, g)
	var said []string
	for _, p := range problems {
		require.Equal(t, tasks.Error, p.Severity)
		said = append(said, p.String())
	}
	require.ElementsMatch(t, []string{
		"a.md: dependency cycle: TASK-01 → TASK-02 → TASK-01; take one of these out",
		"c.md: TASK-02 is already b.md: two files for one TASK; rename or remove one",
		"d.md: TASK-03 depends on itself: take TASK-03 out of its dependencies",
		"d.md: TASK-03 depends on TASK-09, which does not exist: add TASK-09.md or take it out",
		`e.md: "TASK-4" is not the canonical id of a TASK, such as TASK-03`,
	}, said)
}

// The graph library loses the component that holds the zero value of its vertex
// type when its walk starts there, which the order of a map decides.
func TestCycleThroughTheFirstTaskIsAlwaysFound(t *testing.T) {
	t.Parallel()
	for range 100 {
		_, problems := tasks.NewGraph([]tasks.Task{
			{ID: "TASK-00", Deps: []tasks.ID{"TASK-01"}},
			{ID: "TASK-01", Deps: []tasks.ID{"TASK-00"}},
		})
		require.Len(t, problems, 1)
		require.Contains(t, problems[0].Message, "TASK-00 → TASK-01 → TASK-00")
	}
}

func TestEachSeparateCycleIsReportedOnceAndShortest(t *testing.T) {
	t.Parallel()
	_, problems := tasks.NewGraph([]tasks.Task{
		{ID: "TASK-01", Deps: []tasks.ID{"TASK-02", "TASK-03"}},
		{ID: "TASK-02", Deps: []tasks.ID{"TASK-03"}},
		{ID: "TASK-03", Deps: []tasks.ID{"TASK-01"}},
		{ID: "TASK-10", Deps: []tasks.ID{"TASK-11", "TASK-01"}},
		{ID: "TASK-11", Deps: []tasks.ID{"TASK-10"}},
	})
	require.Len(t, problems, 2)
	require.Contains(t, problems[0].Message, "cycle: TASK-01 → TASK-03 → TASK-01;")
	require.Contains(t, problems[1].Message, "cycle: TASK-10 → TASK-11 → TASK-10;")
}

func TestVeryLongCycleIsCutInTheMessage(t *testing.T) {
	t.Parallel()
	list := chain(50_000)
	list[0].Deps = []tasks.ID{list[len(list)-1].ID}
	_, problems := tasks.NewGraph(list)
	require.Len(t, problems, 1)
	require.Less(t, len(problems[0].Message), 600)
}

func TestListIsNeitherKeptNorChanged(t *testing.T) {
	t.Parallel()
	list := []tasks.Task{{ID: "TASK-03", Deps: []tasks.ID{"TASK-02", "TASK-01", "TASK-02"}}, {ID: "TASK-02"}, {ID: "TASK-01"}}
	g := newGraph(t, list)
	require.Equal(t, []tasks.ID{"TASK-02", "TASK-01", "TASK-02"}, list[0].Deps)
	list[0].Deps[0] = "TASK-99"
	task, ok := g.Get("TASK-03")
	require.True(t, ok)
	require.Equal(t, []tasks.ID{"TASK-01", "TASK-02"}, task.Deps)
}

func TestZeroGraphIsEmpty(t *testing.T) {
	t.Parallel()
	var g tasks.Graph
	require.Zero(t, g.Len())
	require.Nil(t, g.Waves())
	require.Nil(t, g.Path("TASK-01", "TASK-01"))
	for range g.Ancestors("TASK-01", 0) {
		t.Fatal("an ancestor of nothing")
	}
}

func TestGraphIsReadByManyAtOnce(t *testing.T) {
	t.Parallel()
	g := newGraph(t, layered(200))
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for task := range g.All() {
				for range g.Ancestors(task.ID, 2) {
				}
			}
		})
	}
	readers.Wait()
}

func TestDrawingIsStableAndEscapesTitles(t *testing.T) {
	t.Parallel()
	g := newGraph(t, []tasks.Task{
		{ID: "TASK-01", Title: `say "hi" \ bye` + "\x1b"},
		{ID: "TASK-02", Title: "next", Deps: []tasks.ID{"TASK-01"}},
	})
	var first bytes.Buffer
	require.NoError(t, g.DOT(&first))
	require.Equal(t, `strict digraph {
	"TASK-01" -> "TASK-02" [  weight=0 ];
	"TASK-01" [ label="TASK-01\nsay \"hi\" \\ bye`+"\uFFFD"+`",  weight=0 ];
	"TASK-02" [ label="TASK-02\nnext",  weight=0 ];
	rankdir="LR";
}
`, first.String())
	for range 20 {
		var again strings.Builder
		require.NoError(t, g.DOT(&again))
		require.Equal(t, first.String(), again.String())
	}
}
