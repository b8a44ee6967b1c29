package scheduler_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// ledger is a Journal that knows what is durable.
type ledger struct {
	memory
	mu      sync.Mutex
	durable int
	failAt  int64 // seq whose Append fails
}

var errDiskFull = errors.New("disk full")

func (l *ledger) Append(e *scheduler.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.Seq == l.failAt {
		return errDiskFull
	}
	return l.memory.Append(e)
}

func (l *ledger) Sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.durable = len(l.events)
	return nil
}

// has reports whether an event of that kind about the TASK is durable.
func (l *ledger) has(t scheduler.Type, task tasks.ID, s dispatch.Stage) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events[:l.durable] {
		if e.Type == t && e.Task == task && (s == "" || e.Stage == s) {
			return true
		}
	}
	return false
}

// trees are Workspaces and a Lander in memory that check that whatever they
// are asked to act on is on record.
type trees struct {
	l       *ledger
	early   atomic.Int32
	mu      sync.Mutex
	leases  []stages.Lease
	closed  map[tasks.ID]bool // kept?
	results []stages.LandingResult
	landErr error
	landed  int
	onLand  func(context.Context)
	onOpen  func(stages.Lease)
	gone    error // what has become of the workspaces
}

func (t *trees) Intact(tasks.ID) error { return t.gone }

func (t *trees) Facts(tasks.ID) stages.Facts { return nil }

func (t *trees) Tip(context.Context) (stages.Hash, error) { return "tip", nil }
func (t *trees) Where(tasks.ID) stages.Workspace          { return stages.Workspace{} }

func (t *trees) Open(_ context.Context, l stages.Lease) (stages.Workspace, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leases = append(t.leases, l)
	if t.onOpen != nil {
		t.onOpen(l)
	}
	return stages.Workspace{Dir: "/w"}, nil
}

func (t *trees) Snapshot(context.Context, tasks.ID, func([]stages.Change) []byte) (stages.Snapshot, error) {
	return stages.Snapshot{Tree: "tree", Changes: []stages.Change{{Path: "f", Action: "CREATE"}}}, nil
}

func (t *trees) Close(_ context.Context, id tasks.ID, keep bool) error {
	if !t.l.has(scheduler.TaskLanded, id, "") && !t.l.has(scheduler.TaskFailed, id, "") {
		t.early.Add(1)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed == nil {
		t.closed = map[tasks.ID]bool{}
	}
	t.closed[id] = keep
	return nil
}

func (t *trees) Land(ctx context.Context, l stages.Landing) (stages.LandingResult, error) {
	if !t.l.has(scheduler.StageFinished, l.Task, dispatch.Committer) {
		t.early.Add(1)
	}
	if t.onLand != nil {
		t.onLand(ctx)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.landed++
	if t.landErr != nil {
		return stages.LandingResult{}, t.landErr
	}
	if len(t.results) > 0 {
		r := t.results[0]
		t.results = t.results[1:]
		return r, nil
	}
	return stages.LandingResult{Outcome: "landed", Commit: l.Candidate, Tree: "tree"}, nil
}

func TestNothingActsOnAnEventBeforeItIsDurable(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	w := &trees{l: l}
	s := &script{answers: map[string]stages.Response{"TASK-02/verifier#1": stages.Failed("red")}}
	r := s.runner()
	r.Jobs, r.Journal, r.Workspaces, r.Lander = 3, l, w, w
	shown := 0
	r.Observe = func(e scheduler.Event) {
		shown++
		if e.Seq > int64(l.durable) {
			w.early.Add(1)
		}
	}
	r.Executors["x"] = stages.Func(func(ctx context.Context, req stages.Request) (stages.Response, error) {
		if !l.has(scheduler.StageStarted, req.Step.Task, req.Step.Stage) {
			w.early.Add(1)
		}
		return s.Execute(ctx, req)
	})
	v, err := r.Run(t.Context(), graph(t, map[int][]int{1: nil, 2: nil, 3: nil, 4: {1, 2, 3}}))
	require.NoError(t, err)
	require.Equal(t, scheduler.AllDone, v)
	require.Zero(t, w.early.Load(), "something acted on an event that was not durable")
	require.Equal(t, len(l.events), shown, "every event is shown")
	require.Equal(t, len(l.events), l.durable, "nothing is left undurable at the end")
	require.Equal(t, map[tasks.ID]bool{id(1): false, id(2): false, id(3): false, id(4): false}, w.closed)
}

func TestFailedTaskKeepsItsWorkspace(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	w := &trees{l: l}
	s := &script{answers: map[string]stages.Response{"TASK-01/builder#1": stages.Failed("no")}}
	r := s.runner()
	r.Journal, r.Workspaces, r.Lander = l, w, w
	r.Opening.Config = &scheduler.Options{Attempts: 1}
	_, err := r.Run(t.Context(), graph(t, map[int][]int{1: nil}))
	require.NoError(t, err)
	require.Equal(t, map[tasks.ID]bool{id(1): true}, w.closed)
}

func TestRecordThatCannotBeWrittenEndsTheRun(t *testing.T) {
	t.Parallel()
	for seq := int64(1); seq <= 12; seq++ {
		l := &ledger{failAt: seq}
		r := (&script{}).runner()
		r.Journal = l
		_, err := r.Run(t.Context(), graph(t, map[int][]int{1: nil, 2: {1}}))
		require.ErrorIs(t, err, errDiskFull, "event %d", seq)
	}
}

func TestCommandIsAnsweredOnceItIsDurable(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	commands := make(chan scheduler.Event, 2)
	answered := make(chan scheduler.Event, 2)
	wait := stages.Func(func(ctx context.Context, req stages.Request) (stages.Response, error) {
		if req.Step.Task == id(1) && req.Step.Stage == dispatch.Builder {
			commands <- scheduler.Event{Type: scheduler.Command, Verb: scheduler.Skip, Task: id(1)}
			commands <- scheduler.Event{Type: scheduler.Command, Verb: scheduler.Skip, Task: id(2), Reason: "no"}
			<-answered
			<-answered
		}
		return pass("done"), nil
	})
	r := &scheduler.Runner{Executors: map[string]stages.Executor{"x": wait}, Stages: scheduler.StageNames{Builder: "x", Verifier: "x"},
		Opening: scheduler.Event{Session: "s"}, Journal: l, Commands: commands}
	r.Answered = func(e scheduler.Event) error {
		if e.Type == scheduler.Command && !l.has(scheduler.Command, e.Task, "") {
			return errors.New("answered too early")
		}
		answered <- e
		return nil
	}
	v, err := r.Run(t.Context(), graph(t, map[int][]int{1: nil, 2: nil}))
	require.NoError(t, err)
	require.Equal(t, scheduler.AllDone, v)
	require.Equal(t, 1, l.count(scheduler.TaskSkipped), "a TASK that is being worked on is not skipped")
	require.Equal(t, 1, l.count(scheduler.Warning))
}

func TestStopCutsOffWhatIsUnderWayAndRecordsNoVerdictOnIt(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	commands := make(chan scheduler.Event, 1)
	hang := stages.Func(func(ctx context.Context, _ stages.Request) (stages.Response, error) {
		commands <- scheduler.Event{Type: scheduler.Command, Verb: scheduler.Stop}
		<-ctx.Done()
		return stages.Response{}, ctx.Err()
	})
	r := &scheduler.Runner{Executors: map[string]stages.Executor{"x": hang}, Stages: scheduler.StageNames{Builder: "x", Verifier: "x"},
		Opening: scheduler.Event{Session: "s"}, Journal: l, Commands: commands}
	v, err := r.Run(t.Context(), graph(t, map[int][]int{1: nil}))
	require.NoError(t, err)
	require.Equal(t, scheduler.Stopped, v)
	require.Zero(t, l.count(scheduler.StageFinished))
	require.Equal(t, &scheduler.Totals{Interrupted: 1}, l.events[len(l.events)-1].Totals)
}

func TestFailFastCutsOffTheOthers(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	x := stages.Func(func(ctx context.Context, req stages.Request) (stages.Response, error) {
		if req.Step.Task == id(1) {
			<-started
			return stages.Failed("no"), nil
		}
		close(started)
		<-ctx.Done()
		return stages.Response{}, ctx.Err()
	})
	r := &scheduler.Runner{Executors: map[string]stages.Executor{"x": x}, Stages: scheduler.StageNames{Builder: "x", Verifier: "x"},
		Jobs: 2, Opening: scheduler.Event{Session: "s", Config: &scheduler.Options{Attempts: 1, FailFast: true}}}
	v, err := r.Run(t.Context(), graph(t, map[int][]int{1: nil, 2: nil}))
	require.NoError(t, err)
	require.Equal(t, scheduler.SomeFailed, v)
}

func TestLandingIsNotCutOffByACancelledRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	l := &ledger{}
	w := &trees{l: l}
	var cut error
	w.onLand = func(landing context.Context) {
		cancel()
		cut = landing.Err()
	}
	r := (&script{}).runner()
	r.Journal, r.Workspaces, r.Lander = l, w, w
	_, err := r.Run(ctx, graph(t, map[int][]int{1: nil, 2: {1}}))
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, cut)
	require.Equal(t, 1, l.count(scheduler.TaskLanded), "what has landed is recorded")
}

func TestErrorOfTheLanderEndsTheRunAfterOneTry(t *testing.T) {
	t.Parallel()
	for range 50 {
		l := &ledger{}
		w := &trees{l: l, landErr: errors.New("the branch is gone")}
		r := (&script{}).runner()
		r.Journal, r.Workspaces, r.Lander = l, w, w
		_, err := r.Run(t.Context(), graph(t, map[int][]int{1: nil}))
		require.EqualError(t, err, "TASK-01: landing: the branch is gone")
		require.Equal(t, 1, w.landed)
	}
}

func TestReverifierIsLookedUpFirstAndJudgesMovedTrees(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	w := &trees{l: l, results: []stages.LandingResult{{Outcome: "moved", Onto: "onto", Tree: "merged", Changes: []stages.Change{{Path: "f"}}}}}
	s, again := &script{}, &script{}
	r := s.runner()
	r.Journal, r.Workspaces, r.Lander = l, w, w
	r.Stages.Reverifier = "again"
	g := graph(t, map[int][]int{1: nil})
	_, err := r.Run(t.Context(), g)
	require.ErrorContains(t, err, `"again"`)
	require.Empty(t, s.seen, "before the first stage")

	l.events, l.durable = nil, 0
	r.Executors["again"] = again
	v, err := r.Run(t.Context(), g)
	require.NoError(t, err)
	require.Equal(t, scheduler.AllDone, v)
	require.Equal(t, []string{"TASK-01/verifier#1.2"}, again.seen)
	require.Contains(t, w.leases, stages.Lease{Task: id(1), Base: "onto", Mode: stages.Exact, Tree: "TASK-01/committer#1.2"})
}

func TestResponseThatIsNoVerdictIsAFail(t *testing.T) {
	t.Parallel()
	for want, answer := range map[string]stages.Response{
		`status "maybe" is neither PASS nor FAIL`:        {Result: dispatch.Result{Status: "maybe"}},
		"PASS without a handoff that says what was done": {Result: dispatch.Result{Status: dispatch.Pass}},
		"builder said FAIL without a reason":             {Result: dispatch.Result{Status: dispatch.Fail}},
		"tests: want 4":                                  {Result: dispatch.Result{Status: dispatch.Fail, Failures: []dispatch.Failure{{Check: "tests", Error: "want 4\ngot 5"}}}},
	} {
		l := &ledger{}
		s := &script{answers: map[string]stages.Response{"TASK-01/builder#1": answer}}
		r := s.runner()
		r.Journal = l
		r.Opening.Config = &scheduler.Options{Attempts: 1}
		_, err := r.Run(t.Context(), graph(t, map[int][]int{1: nil}))
		require.NoError(t, err)
		for _, e := range l.events {
			if e.Type == scheduler.TaskFailed {
				require.Equal(t, want, e.Reason)
			}
			require.True(t, e.Type != scheduler.StageFinished || e.Status == dispatch.Fail && e.Snapshot == nil)
		}
	}
}

func TestRateLimitIsAWaitNotAnAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		calls := 0
		limited := stages.Func(func(_ context.Context, req stages.Request) (stages.Response, error) {
			if calls++; calls == 1 {
				return stages.Response{Wait: &stages.Wait{Until: time.Now().Add(time.Hour), Reason: "429", State: stages.State(`{"send":2}`)}}, nil
			}
			if calls == 2 && string(req.Resume) != `{"send":2}` {
				return stages.Failed("the state did not come back"), nil
			}
			return pass("done"), nil
		})
		l := &ledger{}
		r := &scheduler.Runner{Executors: map[string]stages.Executor{"x": limited}, Stages: scheduler.StageNames{Builder: "x", Verifier: "x"},
			Opening: scheduler.Event{Session: "s"}, Journal: l}
		v, err := r.Run(t.Context(), graph(t, map[int][]int{1: nil}))
		require.NoError(t, err)
		require.Equal(t, scheduler.AllDone, v)
		require.Equal(t, time.Hour, time.Since(began))
		require.Equal(t, 1, l.count(scheduler.WaitStarted))
		require.Equal(t, 1, l.count(scheduler.WaitEnded))
		for _, e := range l.events {
			require.LessOrEqual(t, e.Attempt, 1)
		}
	})
}

func TestWorkspaceIsFreeBeforeTheNextStepBegins(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	w := &trees{l: l}
	s := &script{}
	r := s.runner()
	r.Journal, r.Workspaces, r.Lander = l, w, w
	r.Executors["x"] = stages.Func(func(ctx context.Context, req stages.Request) (stages.Response, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if n := req.Step.Task.Number() - 1; n > 0 && len(w.closed) != n {
			return stages.Failed("the workspace before is still taken"), nil
		}
		return pass("done"), nil
	})
	for range 20 {
		l.events, l.durable, w.closed = nil, 0, nil
		v, err := r.Run(t.Context(), graph(t, map[int][]int{1: nil, 2: nil, 3: nil, 4: nil}))
		require.NoError(t, err)
		require.Equal(t, scheduler.AllDone, v)
	}
}

func TestCauseOfACancelledRunIsTheErrorWhateverStepsMakeOfIt(t *testing.T) {
	t.Parallel()
	cause := errors.New("SIGINT")
	for range 50 {
		ctx, cancel := context.WithCancelCause(t.Context())
		rude := stages.Func(func(ctx context.Context, _ stages.Request) (stages.Response, error) {
			cancel(cause)
			return stages.Response{}, context.Canceled
		})
		r := &scheduler.Runner{Executors: map[string]stages.Executor{"x": rude}, Stages: scheduler.StageNames{Builder: "x", Verifier: "x"}, Opening: scheduler.Event{Session: "s"}}
		_, err := r.Run(ctx, graph(t, map[int][]int{1: nil, 2: nil}))
		require.ErrorIs(t, err, cause)
	}
}
