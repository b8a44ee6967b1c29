package scheduler

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

// rejoin ends the first run of a table and begins another one over a graph.
func (b *table) rejoin(list []tasks.Task, f Facts, sel Selection) {
	b.t.Helper()
	g, problems := tasks.NewGraph(list)
	require.Empty(b.t, problems)
	past := b.record
	b.p = New(g)
	b.seq, b.record = 0, nil
	for _, e := range past {
		b.seq++
		require.NoError(b.t, b.p.Apply(e))
		b.record = append(b.record, e)
	}
	b.say(Event{Type: RunJoined})
	for _, e := range Reconcile(b.p, past, f, sel) {
		b.say(e)
	}
}

func hashed(hash string, list ...tasks.Task) []tasks.Task {
	for i := range list {
		list[i].SpecHash = hash
	}
	return list
}

func reason(b *table) string {
	for i := len(b.record) - 1; i >= 0; i-- {
		if b.record[i].Type == TaskRespecified {
			return string(b.record[i].Task) + " " + b.record[i].Reason
		}
	}
	return ""
}

func TestUnlandedTaskWhoseSpecChangedStartsAnewAtAttemptOne(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{Attempts: 1}, task("TASK-01"))
	b.pass("TASK-01")
	b.fail("TASK-01")
	require.Equal(t, []string{"failed"}, b.offered(1))
	b.rejoin(hashed("sha256:1", task("TASK-01")), Facts{}, Selection{})
	require.Equal(t, []string{"failed"}, b.offered(1), "FAILED stays FAILED")
	b.rejoin(hashed("sha256:2", task("TASK-01")), Facts{}, Selection{})
	require.Equal(t, "TASK-01 changed", reason(b))
	require.Equal(t, []string{"TASK-01/builder#1"}, b.offered(1))
}

func TestLandedTaskWhoseSpecChangedIsStaleAndItsDependentsWait(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"), task("TASK-02", "TASK-01"))
	b.candidate("TASK-01")
	b.land("TASK-01")
	f := Facts{Results: map[tasks.ID]FoundResult{"TASK-01": {Spec: "sha256:1"}}}
	b.rejoin(append(hashed("sha256:2", task("TASK-01")), hashed("sha256:1", task("TASK-02", "TASK-01"))...), f, Selection{})
	require.Equal(t, "TASK-01 its spec or dependencies changed since it was done", reason(b))
	require.Equal(t, AsStale, b.p.State("TASK-01").Initial)
	require.Equal(t, []string{"TASK-01/builder#1"}, b.offered(2))
	b.candidate("TASK-01")
	b.land("TASK-01")
	require.Equal(t, []string{"TASK-02/builder#1"}, b.offered(2))
}

func TestCandidateThatTheBranchHoldsHasLanded(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"), task("TASK-02", "TASK-01"))
	b.candidate("TASK-01")
	f := Facts{Contains: func(h stages.Hash) bool { return h == "commit of TASK-01/committer#1" }}
	b.rejoin(hashed("sha256:1", task("TASK-01"), task("TASK-02", "TASK-01")), f, Selection{})
	require.Equal(t, IsLanded, b.p.State("TASK-01").State)
	require.Equal(t, []string{"TASK-02/builder#1"}, b.offered(2))
}

func TestCandidateThatLandedUnrecordedAndWasUndoneIsBuiltAgain(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"), task("TASK-02", "TASK-01"))
	b.candidate("TASK-01")
	f := Facts{
		Results: map[tasks.ID]FoundResult{}, Committed: true,
		Contains: func(h stages.Hash) bool { return h == "commit of TASK-01/committer#1" },
	}
	b.rejoin(hashed("sha256:1", task("TASK-01"), task("TASK-02", "TASK-01")), f, Selection{})
	require.Equal(t, "TASK-01 "+notOnBranch, reason(b))
	require.Equal(t, []string{"TASK-01/builder#1"}, b.offered(2))
}

func TestTaskThatIsDoneOnTheBranchIsNotBuiltAgain(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"), task("TASK-02", "TASK-01"))
	b.pass("TASK-01")
	f := Facts{Results: map[tasks.ID]FoundResult{"TASK-01": {Spec: "sha256:1", Handoff: window.Handoff{What: "by hand"}}}}
	b.rejoin(hashed("sha256:1", task("TASK-01"), task("TASK-02", "TASK-01")), f, Selection{})
	require.Equal(t, "TASK-01 done on the branch", reason(b))
	a := b.action("TASK-02")
	require.Equal(t, "by hand", b.p.Dispatch(a.Step).Handoffs[0].Handoff.What)
}

func TestRevertedTaskIsBuiltAgain(t *testing.T) {
	t.Parallel()
	b := newTable(t, Options{}, task("TASK-01"))
	b.candidate("TASK-01")
	b.land("TASK-01")
	b.rejoin(hashed("sha256:1", task("TASK-01")), Facts{Results: map[tasks.ID]FoundResult{}}, Selection{})
	require.Equal(t, []string{"TASK-01/builder#1"}, b.offered(1))
}

func TestTaskThatStandsOnAnUndoneOneStartsAnew(t *testing.T) {
	t.Parallel()
	both := hashed("sha256:1", task("TASK-01"), task("TASK-02", "TASK-01"))
	for name, begin := range map[string]func(*table){
		"built":  func(b *table) { b.pass("TASK-02") },
		"failed": func(b *table) { b.fail("TASK-02"); b.fail("TASK-02"); b.fail("TASK-02") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newTable(t, Options{}, both...)
			b.candidate("TASK-01")
			b.land("TASK-01")
			begin(b)
			b.rejoin(both, Facts{Results: map[tasks.ID]FoundResult{}, Committed: true}, Selection{})
			require.Equal(t, []string{"TASK-01/builder#1"}, b.offered(2))
			b.candidate("TASK-01")
			b.land("TASK-01")
			require.Equal(t, []string{"TASK-02/builder#1"}, b.offered(2))
		})
	}
}

func TestTaskRemovedAndPutBackRunsOnce(t *testing.T) {
	t.Parallel()
	both := func() []tasks.Task { return hashed("sha256:1", task("TASK-01"), task("TASK-02")) }
	b := newTable(t, Options{}, task("TASK-01"), task("TASK-02"))
	b.pass("TASK-01")
	b.rejoin(hashed("sha256:1", task("TASK-01")), Facts{}, Selection{})
	require.Equal(t, "TASK-02 removed", reason(b))
	require.Equal(t, []string{"TASK-01/verifier#1"}, b.offered(2))
	b.rejoin(both(), Facts{}, Selection{})
	require.Equal(t, "TASK-02 added", reason(b))
	b.candidate("TASK-02")
	b.land("TASK-02")
	b.rejoin(both(), Facts{}, Selection{})
	require.Equal(t, IsLanded, b.p.State("TASK-02").State)
	require.Equal(t, []string{"TASK-01/verifier#1"}, b.offered(2))
}

func TestJoinTakesOverWhatIsAskedForNow(t *testing.T) {
	t.Parallel()
	list := func() []tasks.Task { return hashed("sha256:1", task("TASK-01"), task("TASK-02"), task("TASK-03")) }
	b := newTable(t, Options{}, list()...)
	b.rejoin(list(), Facts{}, Selection{Only: map[tasks.ID]bool{"TASK-02": true}})
	require.Equal(t, []string{"TASK-02/builder#1"}, b.offered(3), "the others were not asked for")
	b.candidate("TASK-02")
	b.land("TASK-02")
	b.rejoin(list(), Facts{}, Selection{})
	require.Equal(t, []string{"TASK-01/builder#1", "TASK-03/builder#1"}, b.offered(3))
	done := Facts{Results: map[tasks.ID]FoundResult{"TASK-02": {Spec: "sha256:1"}}}
	b.rejoin(list(), done, Selection{Force: map[tasks.ID]bool{"TASK-02": true}})
	require.Equal(t, "TASK-02 forced", reason(b))
	require.Contains(t, b.offered(3), "TASK-02/builder#1")
}

func TestInitialStateOfATask(t *testing.T) {
	t.Parallel()
	g, _ := tasks.NewGraph(hashed("sha256:1", task("TASK-01"), task("TASK-02", "TASK-01"), task("TASK-03"), task("TASK-04", "TASK-02")))
	f := Facts{Results: map[tasks.ID]FoundResult{"TASK-01": {Spec: "sha256:0"}, "TASK-02": {Spec: "sha256:1"}, "TASK-04": {}}}
	states := func(sel Selection) (out []Initial) {
		for _, s := range Initially(g, f, sel) {
			out = append(out, s.State)
		}
		return out
	}
	// In the graph's order: 01, 02, 03, 04.
	require.Equal(t, []Initial{AsStale, AsDone, AsNew, AsDone}, states(Selection{}), "stale by its hash; adopted without one")
	require.Equal(t, []Initial{AsStale, AsStale, AsNew, AsStale}, states(Selection{Downstream: true}))
	require.Equal(t, []Initial{AsStale, AsStale, AsNew, AsDone}, states(Selection{Force: map[tasks.ID]bool{"TASK-02": true}}))
	require.Equal(t, []Initial{AsLeft, AsDone, AsNew, AsDone}, states(Selection{Only: map[tasks.ID]bool{"TASK-03": true}}))
}

func TestForcedTaskThatWasCutOffRunsOnAndIsNotTakenForDone(t *testing.T) {
	t.Parallel()
	list := func() []tasks.Task { return hashed("sha256:1", task("TASK-01"), task("TASK-02", "TASK-01")) }
	done := Facts{Results: map[tasks.ID]FoundResult{"TASK-01": {Spec: "sha256:1"}, "TASK-02": {Spec: "sha256:1"}}}
	g, _ := tasks.NewGraph(list())
	b := &table{t: t, p: New(g)}
	b.say(Event{Type: RunStarted, Session: "s", Config: &Options{Attempts: 1},
		Tasks: Initially(g, done, Selection{Force: map[tasks.ID]bool{"TASK-01": true}, Downstream: true})})
	b.start("TASK-01")
	b.rejoin(list(), done, Selection{})
	require.Equal(t, []string{"TASK-01/builder#1"}, b.offered(2))
	b.fail("TASK-01")
	b.rejoin(list(), done, Selection{})
	require.Equal(t, []string{"failed"}, b.offered(2), "a FAILED TASK stays FAILED")
	b.say(Event{Type: Command, Verb: RetryIt, Task: "TASK-01"})
	b.candidate("TASK-01")
	b.land("TASK-01")
	require.Equal(t, []string{"TASK-02/builder#1"}, b.offered(2))
}
