package scheduler_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// graph makes TASKs from lines such as "3: 1 2".
func graph(t testing.TB, deps map[int][]int) *tasks.Graph {
	var list []tasks.Task
	for n, on := range deps {
		task := tasks.Task{ID: id(n), Title: fmt.Sprint("Step ", n), File: string(id(n)) + ".md", Spec: fmt.Sprintf("# %s: Step %d\n", id(n), n), SpecHash: "sha256:1"}
		for _, d := range on {
			task.Deps = append(task.Deps, id(d))
		}
		list = append(list, task)
	}
	g, problems := tasks.NewGraph(list)
	require.Empty(t, problems)
	return g
}

func id(n int) tasks.ID { return tasks.ID(fmt.Sprintf("TASK-%02d", n)) }

// script plays executors: by step, what to answer; PASS where nothing is said.
type script struct {
	mu      sync.Mutex
	answers map[string]stages.Response
	seen    []string
	xml     map[string]string
}

func pass(what string) stages.Response {
	return stages.Response{Result: dispatch.Result{Status: dispatch.Pass, Handoff: &window.Handoff{What: what, Why: "so that it works"}}}
}

func (s *script) Execute(_ context.Context, req stages.Request) (stages.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, req.Step.String())
	if s.xml == nil {
		s.xml = map[string]string{}
	}
	var b bytes.Buffer
	if err := req.Dispatch.Encode(&b); err != nil {
		return stages.Response{}, err
	}
	s.xml[req.Step.String()] = b.String()
	if r, ok := s.answers[req.Step.String()]; ok {
		return r, nil
	}
	return pass(string(req.Step.Stage) + " of " + string(req.Step.Task)), nil
}

func (s *script) runner() *scheduler.Runner {
	return &scheduler.Runner{
		Executors: map[string]stages.Executor{"x": s},
		Stages:    scheduler.StageNames{Builder: "x", Verifier: "x"},
		Opening:   scheduler.Event{Session: "s", Work: "WORK-01", Folder: "tasks"},
	}
}

// memory is a Journal in memory.
type memory struct{ events []scheduler.Event }

func (m *memory) Append(e *scheduler.Event) error { m.events = append(m.events, *e); return nil }
func (m *memory) Sync() error                     { return nil }

func (m *memory) count(t scheduler.Type) int {
	n := 0
	for _, e := range m.events {
		if e.Type == t {
			n++
		}
	}
	return n
}

func TestEveryTaskGoesThroughBuilderVerifierCommitter(t *testing.T) {
	t.Parallel()
	s, m := &script{}, &memory{}
	r := s.runner()
	r.Journal = m
	v, err := r.Run(t.Context(), graph(t, map[int][]int{1: nil, 2: {1}}))
	require.NoError(t, err)
	require.Equal(t, scheduler.AllDone, v)
	require.Equal(t, []string{"TASK-01/builder#1", "TASK-01/verifier#1", "TASK-02/builder#1", "TASK-02/verifier#1"}, s.seen)
	require.Equal(t, 6, m.count(scheduler.StageFinished))
	require.Equal(t, 2, m.count(scheduler.TaskLanded))
}

func TestVerifierFailGoesBackToTheBuilderWithItsHandoff(t *testing.T) {
	t.Parallel()
	red := stages.Failed("1 test failed", dispatch.Failure{Check: "tests", Error: "want 4, got 5"})
	red.Handoff = &window.Handoff{What: "ran the tests", Caution: "look at add()"}
	s := &script{answers: map[string]stages.Response{"TASK-01/verifier#1": red}}
	v, err := s.runner().Run(t.Context(), graph(t, map[int][]int{1: nil}))
	require.NoError(t, err)
	require.Equal(t, scheduler.AllDone, v)
	require.Equal(t, []string{"TASK-01/builder#1", "TASK-01/verifier#1", "TASK-01/builder#2", "TASK-01/verifier#2"}, s.seen)
	xml := s.xml["TASK-01/builder#2"]
	require.Contains(t, xml, `<retry attempt="2" of="3" stage="verifier">`)
	require.Contains(t, xml, "1 test failed")
	require.Contains(t, xml, "want 4, got 5")
	require.Contains(t, xml, "look at add()")
}

func TestThirdFailureMakesTheTaskFailedAndHaltsThePipeline(t *testing.T) {
	t.Parallel()
	red := stages.Failed("does not compile")
	s := &script{answers: map[string]stages.Response{"TASK-01/builder#1": red, "TASK-01/builder#2": red, "TASK-01/builder#3": red}}
	m := &memory{}
	r := s.runner()
	r.Journal = m
	v, err := r.Run(t.Context(), graph(t, map[int][]int{1: nil, 2: nil}))
	require.NoError(t, err)
	require.Equal(t, scheduler.SomeFailed, v)
	require.Equal(t, []string{"TASK-01/builder#1", "TASK-01/builder#2", "TASK-01/builder#3"}, s.seen, "no new TASK starts after the halt")
	require.Equal(t, 1, m.count(scheduler.RunHalted))
	last := m.events[len(m.events)-1]
	require.Equal(t, scheduler.RunFinished, last.Type)
	require.Equal(t, &scheduler.Totals{Failed: 1, NotStarted: 1}, last.Totals)
}

func TestKeepGoingBuildsWhatDoesNotDependOnTheFailedTask(t *testing.T) {
	t.Parallel()
	red := stages.Failed("no")
	s := &script{answers: map[string]stages.Response{"TASK-01/builder#1": red}}
	r := s.runner()
	r.Opening.Config = &scheduler.Options{Attempts: 1, KeepGoing: true}
	v, err := r.Run(t.Context(), graph(t, map[int][]int{1: nil, 2: {1}, 3: nil}))
	require.NoError(t, err)
	require.Equal(t, scheduler.SomeFailed, v)
	require.Equal(t, []string{"TASK-01/builder#1", "TASK-03/builder#1", "TASK-03/verifier#1"}, s.seen)
}

func TestNextTaskSeesFullThenSummaryThenNothing(t *testing.T) {
	t.Parallel()
	s := &script{}
	_, err := s.runner().Run(t.Context(), graph(t, map[int][]int{1: nil, 2: {1}, 3: {2}, 4: {3}}))
	require.NoError(t, err)
	xml := s.xml["TASK-04/builder#1"]
	require.Contains(t, xml, `<context-handoff from="prev-task" task="TASK-03" detail-level="FULL">`)
	require.Contains(t, xml, `<context-handoff from="prev-prev-task" task="TASK-02" detail-level="SUMMARY">`)
	require.NotContains(t, xml, `task="TASK-01"`)
}

func TestExecutorErrorStopsTheRunNamesTheStepAndUsesNoAttempt(t *testing.T) {
	t.Parallel()
	broken := stages.Func(func(context.Context, stages.Request) (stages.Response, error) {
		return stages.Response{}, errors.New("401 unauthorized")
	})
	m := &memory{}
	r := &scheduler.Runner{Executors: map[string]stages.Executor{"x": broken}, Stages: scheduler.StageNames{Builder: "x", Verifier: "x"},
		Opening: scheduler.Event{Session: "s"}, Journal: m}
	g := graph(t, map[int][]int{1: nil})
	_, err := r.Run(t.Context(), g)
	require.EqualError(t, err, "TASK-01/builder#1: 401 unauthorized")
	require.Zero(t, m.count(scheduler.StageFinished))

	s := &script{}
	again := s.runner()
	again.Past, again.Journal = m.events, m
	v, err := again.Run(t.Context(), g)
	require.NoError(t, err)
	require.Equal(t, scheduler.AllDone, v)
	require.Equal(t, []string{"TASK-01/builder#1", "TASK-01/verifier#1"}, s.seen, "the same step, the same attempt")
}

func TestPanicInAnExecutorBecomesAnErrorNamingTheStep(t *testing.T) {
	t.Parallel()
	r := &scheduler.Runner{Stages: scheduler.StageNames{Builder: "x", Verifier: "x"}, Opening: scheduler.Event{Session: "s"},
		Executors: map[string]stages.Executor{"x": stages.Func(func(context.Context, stages.Request) (stages.Response, error) { panic("boom") })}}
	_, err := r.Run(t.Context(), graph(t, map[int][]int{1: nil}))
	require.EqualError(t, err, "TASK-01/builder#1: panic: boom")
}

func TestUnknownExecutorIsFoundBeforeTheFirstStage(t *testing.T) {
	t.Parallel()
	s := &script{}
	r := s.runner()
	r.Stages.Verifier = "ghost"
	_, err := r.Run(t.Context(), graph(t, map[int][]int{1: nil}))
	require.ErrorContains(t, err, `"ghost"`)
	require.Empty(t, s.seen)
}

func TestCancelledRunRecordsNoVerdictAndResumesTheSameStep(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	hang := stages.Func(func(ctx context.Context, _ stages.Request) (stages.Response, error) {
		cancel()
		<-ctx.Done()
		return stages.Response{}, ctx.Err()
	})
	m := &memory{}
	r := &scheduler.Runner{Executors: map[string]stages.Executor{"x": hang}, Stages: scheduler.StageNames{Builder: "x", Verifier: "x"},
		Opening: scheduler.Event{Session: "s"}, Journal: m}
	g := graph(t, map[int][]int{1: nil})
	_, err := r.Run(ctx, g)
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, m.count(scheduler.StageFinished))

	s := &script{}
	again := s.runner()
	again.Past, again.Journal = m.events, m
	_, err = again.Run(t.Context(), g)
	require.NoError(t, err)
	require.Equal(t, "TASK-01/builder#1", s.seen[0])
}

func TestIndependentTasksRunAtOnceUpToJobs(t *testing.T) {
	t.Parallel()
	const jobs = 3
	var mu sync.Mutex
	arrived, most := 0, 0
	all := make(chan struct{})
	meet := stages.Func(func(ctx context.Context, req stages.Request) (stages.Response, error) {
		if req.Step.Stage == dispatch.Builder && req.Step.Task <= id(jobs) {
			mu.Lock()
			arrived++
			most = max(most, arrived)
			if arrived == jobs {
				close(all)
			}
			mu.Unlock()
			select {
			case <-all:
			case <-ctx.Done():
				return stages.Response{}, ctx.Err()
			}
		}
		return pass("met"), nil
	})
	r := &scheduler.Runner{Executors: map[string]stages.Executor{"x": meet}, Stages: scheduler.StageNames{Builder: "x", Verifier: "x"},
		Jobs: jobs, Opening: scheduler.Event{Session: "s"}}
	v, err := r.Run(t.Context(), graph(t, map[int][]int{1: nil, 2: nil, 3: nil, 4: nil}))
	require.NoError(t, err)
	require.Equal(t, scheduler.AllDone, v)
	require.Equal(t, jobs, most)
}

func TestResumeFromAnyPrefixOfTheRecordEndsTheSame(t *testing.T) {
	t.Parallel()
	g := graph(t, map[int][]int{1: nil, 2: {1}, 3: {1}, 4: {2, 3}})
	s, m := &script{answers: map[string]stages.Response{"TASK-02/verifier#1": stages.Failed("red")}}, &memory{}
	r := s.runner()
	r.Journal = m
	_, err := r.Run(t.Context(), g)
	require.NoError(t, err)
	for k := 1; k < len(m.events); k++ {
		finished := map[string]bool{}
		for _, e := range m.events[:k] {
			if e.Type == scheduler.StageFinished {
				finished[scheduler.Step{Task: e.Task, Stage: e.Stage, Attempt: e.Attempt}.String()] = true
			}
		}
		s2 := &script{answers: s.answers}
		r2 := s2.runner()
		r2.Past = m.events[:k]
		v, err := r2.Run(t.Context(), g)
		require.NoError(t, err, "after event %d", k)
		require.Equal(t, scheduler.AllDone, v)
		for _, step := range s2.seen {
			require.False(t, finished[step], "%s ran twice, resumed after event %d", step, k)
		}
	}
}

// closing is a Sink that counts.
type closing struct {
	stages.Sink
	closed *int
}

func (c closing) Close() error { *c.closed++; return nil }

func TestSinksAreClosedAndEvidenceIsRecorded(t *testing.T) {
	t.Parallel()
	closed := 0
	m := &memory{}
	talk := stages.Func(func(_ context.Context, req stages.Request) (stages.Response, error) {
		return pass("x"), req.Sink.Evidence(stages.Evidence{Type: "warning", Text: "hm"})
	})
	r := &scheduler.Runner{Executors: map[string]stages.Executor{"x": talk}, Stages: scheduler.StageNames{Builder: "x", Verifier: "x"},
		Opening: scheduler.Event{Session: "s"}, Journal: m}
	r.Sinks = func(_ scheduler.Step, evidence func(stages.Evidence) error) stages.Sink {
		return closing{evidenceSink{stages.Discard, evidence}, &closed}
	}
	_, err := r.Run(t.Context(), graph(t, map[int][]int{1: nil}))
	require.NoError(t, err)
	require.Equal(t, 3, closed)
	require.Equal(t, 2, m.count(scheduler.Warning))
}

type evidenceSink struct {
	stages.Sink
	evidence func(stages.Evidence) error
}

func (s evidenceSink) Evidence(e stages.Evidence) error { return s.evidence(e) }
func (s evidenceSink) Output() io.Writer                { return io.Discard }

func TestDispatchThatIsTooLongIsCutWithAWarning(t *testing.T) {
	t.Parallel()
	big := pass(string(bytes.Repeat([]byte("x"), 5<<20)))
	s, m := &script{answers: map[string]stages.Response{"TASK-01/builder#1": big}}, &memory{}
	r := s.runner()
	r.Journal = m
	r.Sinks = func(_ scheduler.Step, evidence func(stages.Evidence) error) stages.Sink {
		return evidenceSink{stages.Discard, evidence}
	}
	_, err := r.Run(t.Context(), graph(t, map[int][]int{1: nil, 2: {1}}))
	require.NoError(t, err)
	require.LessOrEqual(t, len(s.xml["TASK-02/builder#1"]), dispatch.MaxSize)
	require.Contains(t, s.xml["TASK-02/builder#1"], "# TASK-02: Step 2", "the TASK's own text is never cut")
	warned := 0
	for _, e := range m.events {
		if e.Type == scheduler.Warning && e.Task == id(2) {
			warned++
			require.Contains(t, e.Reason, "what of TASK-01 was cut")
		}
	}
	require.Equal(t, 1, warned)
}
