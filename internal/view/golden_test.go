package view

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/taskpipeline/pipeline/scheduler"
)

var later = start.Add(20 * time.Minute)

func TestStatusOfAHaltedSession(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	require.NoError(t, halted(t).record().Status(later).Text(&b, Style{}))
	golden(t, "status_halted.golden", b.String())
}

func TestInspectOfAFailedTaskSaysWhatFailedAndWhatToDo(t *testing.T) {
	t.Parallel()
	x := halted(t).record().Inspect("TASK-03", Found{
		Workspace: "../.git/pipeline/worktrees/slot-1",
		Files:     []string{".pipeline/sessions/01JPABCDEFGHJKMNPQRSTVWXYZ/TASK-03-verifier/dispatch-3.xml", ".pipeline/sessions/01JPABCDEFGHJKMNPQRSTVWXYZ/TASK-03-verifier/task-result-3.xml"},
		Claimed:   []string{"auth/login.go", "auth/login_test.go"},
	}, later)
	var b strings.Builder
	require.NoError(t, x.Text(&b, Style{}))
	golden(t, "inspect_failed.golden", b.String())
}

func TestExplainNamesTheRootCause(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	require.NoError(t, halted(t).record().Explain("TASK-04").Text(&b, Style{}))
	golden(t, "explain_blocked.golden", b.String())
}

func TestContextShowsWhatIsSentAndWhy(t *testing.T) {
	t.Parallel()
	c, err := halted(t).record().Context("TASK-04")
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, c.Text(&b, Style{}))
	golden(t, "context.golden", b.String())
}

func TestLinesOfAHaltedRun(t *testing.T) {
	t.Parallel()
	golden(t, "lines_plain.golden", lines(t, halted(t), ByEvent))
	golden(t, "lines_group.golden", lines(t, halted(t), ByTask))
	golden(t, "lines_quiet.golden", lines(t, halted(t), Quiet))
}

func lines(t *testing.T, s *script, m Mode) string {
	var b strings.Builder
	r, err := Fold(s.plan.Graph(), nil)
	require.NoError(t, err)
	l := NewLines(&b, r, Style{}, m)
	for _, e := range s.events {
		l.Event(e)
	}
	require.NoError(t, l.Err())
	return b.String()
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	require.NoError(t, halted(t).record().JUnit(&b, later))
	golden(t, "junit.golden", b.String())
}

func TestForecastOfAFreshPlan(t *testing.T) {
	t.Parallel()
	s := play(t, login(), scheduler.Options{})
	f, err := Predict(s.plan.Graph(), s.events, 2, "tip")
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, f.Text(&b, Style{}))
	golden(t, "plan_fresh.golden", b.String())
}
