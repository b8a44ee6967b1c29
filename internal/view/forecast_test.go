package view

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/tasks"
)

func forecast(t *testing.T, g *tasks.Graph, events []scheduler.Event, jobs int) (Forecast, string) {
	t.Helper()
	f, err := Predict(g, events, jobs, "ba5eba5eba5eba5e")
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, f.Text(&b, Style{}))
	return f, b.String()
}

func TestAForecastTellsStaleFromNewAndPredictsConflicts(t *testing.T) {
	t.Parallel()
	specs := login()
	specs[0].State, specs[0].Reason = scheduler.AsStale, "its spec or dependencies changed since it was done"
	specs[2].Approve = true
	s := play(t, specs, scheduler.Options{})
	var list []tasks.Task
	for task := range s.plan.Graph().All() {
		switch task.ID {
		case "TASK-02", "TASK-03":
			task.Files = []tasks.FileClaim{{Path: "auth/session.go"}, {Path: "./go.mod"}}
		case "TASK-05":
			task.Files = []tasks.FileClaim{{Path: "go.mod"}, {Path: "auth/mail.go"}}
		}
		list = append(list, task)
	}
	g, problems := tasks.NewGraph(list)
	require.Empty(t, problems)
	s.events[0].Session = ""
	f, text := forecast(t, g, s.events, 4)
	require.Equal(t, []Collision{{Path: "go.mod", Tasks: []tasks.ID{"TASK-02", "TASK-03", "TASK-05"}}}, f.Collisions)
	golden(t, "plan_stale.golden", text)
}

func TestAForecastOfAHaltedSessionStartsNothing(t *testing.T) {
	t.Parallel()
	s := halted(t)
	_, text := forecast(t, s.plan.Graph(), s.events, 4)
	golden(t, "plan_halted.golden", text)
}

func TestAForecastGoesOnWhereASessionStopped(t *testing.T) {
	t.Parallel()
	s := play(t, login(), scheduler.Options{})
	s.land("TASK-01")
	s.pass("TASK-02", time.Second)
	s.start("TASK-02")
	_, text := forecast(t, s.plan.Graph(), s.events, 1)
	golden(t, "plan_interrupted.golden", text)
}

func TestTasksThatShareALockDoNotCollide(t *testing.T) {
	t.Parallel()
	claim := []tasks.FileClaim{{Path: "a"}}
	lock := tasks.Options{Locks: []string{"db"}}
	g, problems := tasks.NewGraph([]tasks.Task{{ID: "TASK-01", Files: claim, Options: lock}, {ID: "TASK-02", Files: claim, Options: lock}})
	require.Empty(t, problems)
	require.Empty(t, collisions(g, map[tasks.ID]bool{"TASK-01": true, "TASK-02": true}))
}

func TestOneJobNeedsNoReverification(t *testing.T) {
	t.Parallel()
	s := play(t, login(), scheduler.Options{})
	f, _ := forecast(t, s.plan.Graph(), s.events, 1)
	require.Zero(t, f.Reverifications)
}

func TestEveryTaskIsEitherRunOrKeptAndComesAfterWhatItNeeds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(rt, "tasks")
		var specs []scheduler.TaskSpec
		for i := 1; i <= n; i++ {
			spec := scheduler.TaskSpec{ID: "TASK-" + number(i), State: scheduler.AsNew, Approve: rapid.Bool().Draw(rt, "approve")}
			for d := 1; d < i; d++ {
				if rapid.IntRange(0, 3).Draw(rt, "needs") == 0 {
					spec.Deps = append(spec.Deps, "TASK-"+number(d))
				}
			}
			specs = append(specs, spec)
		}
		s := play(t, specs, scheduler.Options{})
		f, err := Predict(s.plan.Graph(), s.events, rapid.IntRange(1, 4).Draw(rt, "jobs"), "tip")
		require.NoError(rt, err)
		before := map[tasks.ID]bool{}
		for _, wave := range f.Waves {
			for _, p := range wave {
				for _, need := range p.Needs {
					require.True(rt, before[need])
				}
			}
			for _, p := range wave {
				before[p.Task] = true
			}
		}
		require.Len(rt, before, n)
		require.Empty(rt, f.Kept)
	})
}
