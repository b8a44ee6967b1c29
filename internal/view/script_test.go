package view

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/progress"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the tests with -update to make it")
	require.Equal(t, string(want), got)
}

var start = time.Date(2026, 3, 12, 10, 0, 0, 0, time.UTC)

// script writes the record of a run, event by event; a Plan adds what follows.
type script struct {
	t      testing.TB
	plan   *scheduler.Plan
	now    time.Time
	events []scheduler.Event
}

// login is the plan that most tests play: 1 ← 2 ← 3 ← 4, 1 ← 5, 6.
func login() []scheduler.TaskSpec {
	return []scheduler.TaskSpec{
		{ID: "TASK-01", Title: "Users table", State: scheduler.AsNew},
		{ID: "TASK-02", Title: "Sessions that outlive a restart", State: scheduler.AsNew, Deps: []tasks.ID{"TASK-01"}},
		{ID: "TASK-03", Title: "Log in with a password", State: scheduler.AsNew, Deps: []tasks.ID{"TASK-02"}},
		{ID: "TASK-04", Title: "Remember me", State: scheduler.AsNew, Deps: []tasks.ID{"TASK-03"}},
		{ID: "TASK-05", Title: "비밀번호 재설정 메일을 보내고 링크로 새 비밀번호를 정하기", State: scheduler.AsNew, Deps: []tasks.ID{"TASK-01"}},
		{ID: "TASK-06", Title: "Licence", State: scheduler.AsDone, Handoff: &window.Handoff{What: "Added LICENSE"}},
	}
}

func play(t testing.TB, specs []scheduler.TaskSpec, o scheduler.Options) *script {
	t.Helper()
	for i := range specs {
		specs[i].File = string(specs[i].ID) + ".md"
	}
	opening := scheduler.Event{
		Type: scheduler.RunStarted, Session: "01JPABCDEFGHJKMNPQRSTVWXYZ", Work: "WORK-01", Title: "User authentication",
		Branch: "main", Folder: "tasks", Config: &o, Tasks: specs,
	}
	g, err := scheduler.GraphOf([]scheduler.Event{opening})
	require.NoError(t, err)
	s := &script{t: t, plan: scheduler.New(g), now: start}
	s.add(opening)
	return s
}

func (s *script) add(e scheduler.Event) {
	s.t.Helper()
	e.V, e.Seq, e.Time = scheduler.Version, int64(len(s.events)+1), s.now
	require.NoError(s.t, s.plan.Apply(e))
	s.events = append(s.events, e)
	for due := s.plan.Conclusions(); len(due) > 0; due = s.plan.Conclusions() {
		c := due[0]
		c.V, c.Seq, c.Time = scheduler.Version, int64(len(s.events)+1), s.now
		require.NoError(s.t, s.plan.Apply(c))
		s.events = append(s.events, c)
	}
}

func (s *script) wait(d time.Duration) { s.now = s.now.Add(d) }

// step is the step that a TASK comes to next.
func (s *script) step(id tasks.ID) scheduler.Event {
	n := s.plan.State(id)
	e := scheduler.Event{Task: id, Stage: n.Stage, Attempt: n.Attempt, Executor: "claude"}
	if n.Round > 1 {
		e.Round = n.Round
	}
	switch n.Stage {
	case dispatch.Verifier:
		e.Executor = "checks"
	case dispatch.Committer:
		e.Executor = "committer"
	}
	return e
}

// start begins the next step of a TASK.
func (s *script) start(id tasks.ID) {
	s.t.Helper()
	e := s.step(id)
	e.Type, e.Base = scheduler.StageStarted, "ba5eba5eba5eba5e"
	s.add(e)
}

// end ends the step that is under way, after d.
func (s *script) end(id tasks.ID, d time.Duration, r dispatch.Result) {
	s.t.Helper()
	s.wait(d)
	e := s.step(id)
	e.Type, e.Status, e.Millis, e.Result = scheduler.StageFinished, r.Status, d.Milliseconds(), &r
	if r.Status == dispatch.Fail {
		e.Reason = r.Summary
	} else {
		switch e.Stage {
		case dispatch.Builder:
			e.Snapshot = &stages.Snapshot{Tree: "7ee", Changes: []stages.Change{
				{Path: "auth/login.go", Action: progress.Create}, {Path: "go.sum", Action: progress.Modify},
			}}
		case dispatch.Committer:
			e.Commit = stages.Hash("1a2b3c4d5e6f" + string(id))
		}
	}
	s.add(e)
}

func (s *script) pass(id tasks.ID, d time.Duration) {
	s.t.Helper()
	s.start(id)
	r := dispatch.Result{Status: dispatch.Pass, Handoff: &window.Handoff{
		What: "Added " + string(id) + ".\nTested it.", Why: "The plan asks for it.", Incomplete: "None"}}
	if s.plan.State(id).Stage == dispatch.Committer {
		title := s.plan.Graph().At(s.index(id)).Title
		r.Commit = &dispatch.Commit{Message: "feat(" + string(id) + "): " + title + "\n\n- create x\n"}
	}
	s.end(id, d, r)
}

func (s *script) fail(id tasks.ID, d time.Duration, reason string, details ...dispatch.Failure) {
	s.t.Helper()
	s.start(id)
	s.end(id, d, dispatch.Result{Status: dispatch.Fail, Summary: reason, Failures: details})
}

func (s *script) index(id tasks.ID) int {
	i, ok := s.plan.Graph().Index(id)
	require.True(s.t, ok)
	return i
}

// candidate takes a TASK through its three stages.
func (s *script) candidate(id tasks.ID) {
	s.t.Helper()
	for s.plan.State(id).Candidate == "" {
		s.pass(id, 4200*time.Millisecond)
	}
}

func (s *script) land(id tasks.ID) {
	s.t.Helper()
	s.candidate(id)
	s.add(scheduler.Event{Type: scheduler.LandingFinished, Task: id, Outcome: scheduler.Landed, Commit: s.plan.State(id).Candidate})
}

func (s *script) finish() {
	s.t.Helper()
	totals := s.plan.Totals()
	v := s.plan.Next(4)[0].Verdict
	s.add(scheduler.Event{Type: scheduler.RunFinished, Verdict: v, Totals: &totals})
}

func (s *script) record() *Record {
	s.t.Helper()
	r, err := Fold(nil, s.events)
	require.NoError(s.t, err)
	return r
}

// halted is a run in which TASK-03 fails three times and TASK-05 lands on a
// branch that moved.
func halted(t testing.TB) *script {
	s := play(t, login(), scheduler.Options{})
	s.wait(time.Second)
	s.land("TASK-01")
	s.candidate("TASK-05")
	s.land("TASK-02")
	s.add(scheduler.Event{Type: scheduler.LandingFinished, Task: "TASK-05", Outcome: scheduler.Moved, Onto: "5d6e7f8a9b0c", Tree: "7ee2"})
	s.candidate("TASK-05")
	s.pass("TASK-05", 4200*time.Millisecond)
	s.land("TASK-05")
	s.pass("TASK-03", 91*time.Second)
	s.fail("TASK-03", 3100*time.Millisecond, "1 of 2 checks failed: `go test ./auth`", dispatch.Failure{
		Check: "go test ./auth",
		Error: "\x1b[31m--- FAIL: TestWrongPassword (0.00s)\x1b[0m\n\tlogin_test.go:31: want 401, got 200\nFAIL\nexit status 1",
	})
	s.add(scheduler.Event{Type: scheduler.Warning, Task: "TASK-03", Stage: dispatch.Builder, Attempt: 2, Reason: "put back what had changed since the snapshot: auth/testdata/out"})
	s.fail("TASK-03", 400*time.Millisecond, "claude: exit status 1")
	s.pass("TASK-03", 62*time.Second)
	s.start("TASK-03")
	s.end("TASK-03", 2900*time.Millisecond, dispatch.Result{
		Status: dispatch.Fail, Summary: "1 of 2 checks failed: `go test ./auth`",
		Handoff: &window.Handoff{What: "Ran the TASK's 2 checks; 1 failed:\n- go test ./auth\none\ntwo\nthree\nfour", Why: "A check counts as failed when its command does.", Incomplete: "None"},
		Failures: []dispatch.Failure{{
			Check: "go test ./auth",
			Error: "--- FAIL: TestWrongPassword (0.00s)\n\tlogin_test.go:31: want 401, got 200\nFAIL\nexit status 1",
			Files: []string{"auth/login_test.go"},
			Fix:   "Compare the hash, not the password: login.go passes the plain text to a function that expects the hash of it.",
		}},
	})
	s.finish()
	return s
}
