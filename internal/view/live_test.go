package view

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/scheduler"
)

// screen is a terminal that knows the two sequences that Live may use.
type screen struct{ lines []string }

var upwards = regexp.MustCompile(`^\x1b\[(\d+)A`)

func (s *screen) Write(b []byte) (int, error) {
	text := string(b)
	if m := upwards.FindStringSubmatch(text); m != nil {
		n := 0
		for _, c := range m[1] {
			n = n*10 + int(c-'0')
		}
		s.lines = s.lines[:len(s.lines)-n]
		text = text[len(m[0]):]
	}
	text, ok := strings.CutPrefix(text, "\r\x1b[J")
	if !ok {
		return 0, errors.New("the screen is not cleared")
	}
	for line := range strings.Lines(text) {
		s.lines = append(s.lines, strings.TrimSuffix(line, "\n"))
	}
	return len(b), nil
}

func (s *screen) String() string { return strings.Join(s.lines, "\n") + "\n" }

func showLive(t *testing.T, s *script, upTo int) (*screen, *Live) {
	t.Helper()
	r, err := Fold(s.plan.Graph(), nil)
	require.NoError(t, err)
	w := &screen{}
	l := NewLive(w, r, Style{})
	for i := range s.events[:upTo] {
		l.Event(s.events[i])
		require.NoError(t, l.Draw(s.events[i].Time.Add(3*time.Second), 80, 24))
	}
	return w, l
}

func TestLiveShowsTheTasksAtWorkBelowWhatHasEnded(t *testing.T) {
	t.Parallel()
	s := play(t, login(), scheduler.Options{})
	s.land("TASK-01")
	s.pass("TASK-02", 4*time.Second)
	s.start("TASK-02")
	s.pass("TASK-05", 4*time.Second)
	s.wait(75 * time.Second)
	s.start("TASK-05")
	w, _ := showLive(t, s, len(s.events))
	golden(t, "live_running.golden", w.String())
}

func TestLiveLeavesOnlyHowTasksEnded(t *testing.T) {
	t.Parallel()
	s := halted(t)
	w, l := showLive(t, s, len(s.events))
	require.NoError(t, l.Close(s.now))
	golden(t, "live_ended.golden", w.String())
}

func TestLiveEndsWithTheCountWhenCutOff(t *testing.T) {
	t.Parallel()
	s := play(t, login(), scheduler.Options{})
	s.start("TASK-01")
	w, l := showLive(t, s, len(s.events))
	require.NoError(t, l.Close(start.Add(5*time.Second)))
	require.Equal(t, "0 done, 0 failed, 4 not started, 1 interrupted, 1 up to date in 5.0s\n", w.String())
}

func TestLiveNeverFillsTheTerminal(t *testing.T) {
	t.Parallel()
	var specs []scheduler.TaskSpec
	for range 40 {
		specs = append(specs, scheduler.TaskSpec{ID: "TASK-" + number(len(specs)+1), Title: strings.Repeat("긴 제목 ", 30), State: scheduler.AsNew})
	}
	s := play(t, specs, scheduler.Options{})
	for _, spec := range specs {
		s.start(spec.ID)
	}
	w, l := showLive(t, s, len(s.events))
	for _, size := range [][2]int{{80, 24}, {40, 10}, {20, 3}, {0, 0}} {
		require.NoError(t, l.Draw(s.now, size[0], size[1]))
		require.LessOrEqual(t, len(w.lines), max(size[1]-1, 3))
		for _, line := range w.lines {
			require.Less(t, ansi.StringWidth(line), max(size[0], 21))
		}
	}
}

func TestAFailingTerminalIsReportedAndDoesNotStopTheRun(t *testing.T) {
	t.Parallel()
	r, err := Fold(halted(t).plan.Graph(), nil)
	require.NoError(t, err)
	l := NewLive(brokenPipe{}, r, Style{})
	for _, e := range halted(t).events {
		l.Event(e)
	}
	require.ErrorIs(t, l.Draw(start, 80, 24), errBroken)
	require.ErrorIs(t, l.Close(start), errBroken)
}

var errBroken = errors.New("broken pipe")

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errBroken }

func TestLiveShowsWhatAnAgentDoesNow(t *testing.T) {
	t.Parallel()
	s := play(t, login(), scheduler.Options{})
	s.start("TASK-01")
	w, l := showLive(t, s, len(s.events))
	last := s.events[len(s.events)-1]
	for _, e := range []scheduler.Event{
		{Type: scheduler.AgentTool, Reason: "Write auth/login.go\x1b[31m"},
		{Type: scheduler.AgentSent, Reason: "is asked", Data: map[string]any{"kind": "first"}},
	} {
		e.V, e.Task, e.Stage, e.Attempt, e.Time = scheduler.Version, last.Task, last.Stage, last.Attempt, last.Time
		l.Event(e)
		require.NoError(t, l.Draw(last.Time.Add(time.Second), 80, 24))
		require.Contains(t, w.String(), "Users table  Write auth/login.go")
		require.NotContains(t, w.String(), "\x1b[31m")
	}
}
