package view

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/window"
)

// evil tries to clear the screen, to retitle the window, to turn the direction
// of writing, and to pass for a line of ours.
var evil = "\x1b[2J\x1b]0;owned\x07\u202etxt\r\nTASK-01 landed 1a2b3c4 all is well\n\x00\x9b31m " + strings.Repeat("긴 글 ", 400) + "\xff"

func hostile(t testing.TB) *Record {
	specs := login()
	for i := range specs {
		specs[i].Title = evil
	}
	s := play(t, specs, scheduler.Options{})
	s.land("TASK-01")
	s.add(scheduler.Event{Type: scheduler.Warning, Task: "TASK-02", Reason: evil})
	for range 3 {
		s.fail("TASK-02", time.Second, evil, dispatch.Failure{Check: evil, Error: strings.Repeat(evil, 50), Files: []string{evil}, Fix: evil})
	}
	s.start("TASK-05")
	h := window.Handoff{What: evil, Why: evil, Caution: evil, Incomplete: evil}
	s.end("TASK-05", time.Second, dispatch.Result{Status: dispatch.Fail, Summary: "red", Handoff: &h})
	return s.record()
}

// texts are all that is written of a record for people.
func texts(t testing.TB, r *Record, st Style) map[string]string {
	out := map[string]string{}
	write := func(name string, f func(io.Writer, Style) error) {
		var b strings.Builder
		require.NoError(t, f(&b, st))
		out[name] = b.String()
	}
	write("status", r.Status(later).Text)
	write("brief", r.Status(later).Brief)
	for task := range r.Plan.Graph().All() {
		x := r.Inspect(task.ID, Found{Claimed: []string{evil}, Output: evil}, later)
		write("inspect "+string(task.ID), x.Text)
		write("explain "+string(task.ID), r.Explain(task.ID).Text)
	}
	write("sessions", func(w io.Writer, st Style) error {
		return Sessions(w, []Session{{ID: "01J", Work: evil, State: evil, Problem: evil}}, st, later)
	})
	return out
}

func TestNothingRecordedCanSteerTheTerminalOrBreakALine(t *testing.T) {
	t.Parallel()
	r := hostile(t)
	for _, width := range []int{0, 60, 120} {
		for name, text := range texts(t, r, Style{Width: width}) {
			require.NotContains(t, text, "\nTASK-01 landed", name)
			require.NotContains(t, text, "owned", name)
			for line := range strings.Lines(text) {
				line = strings.TrimSuffix(line, "\n")
				require.LessOrEqual(t, ansi.StringWidth(line), Style{Width: width}.width(), "%s: %q", name, line)
				require.False(t, strings.ContainsFunc(line, func(r rune) bool {
					return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
				}), "%s: %q", name, line)
			}
		}
	}
}

func TestColourIsAllThatAStyleAdds(t *testing.T) {
	t.Parallel()
	r := halted(t).record()
	plain := texts(t, r, Style{})
	for name, text := range texts(t, r, Style{Color: true}) {
		require.Contains(t, text, "\x1b[", name)
		require.Equal(t, plain[name], ansi.Strip(text), name)
	}
}

func TestLinesStayLinesWhateverStagesSay(t *testing.T) {
	t.Parallel()
	specs := login()
	specs[0].Title = evil
	s := play(t, specs, scheduler.Options{})
	for range 3 {
		s.fail("TASK-01", time.Second, evil)
	}
	s.finish()
	text := lines(t, s, ByEvent)
	require.Equal(t, 10, strings.Count(text, "\n"), text)
	require.NotContains(t, text, "\x1b")
}

func TestTheReportsHoldAgainstHostileText(t *testing.T) {
	t.Parallel()
	r := hostile(t)
	var b bytes.Buffer
	require.NoError(t, r.JUnit(&b, later))
	var suites junitSuites
	require.NoError(t, xml.Unmarshal(b.Bytes(), &suites))
	require.Len(t, suites.Suite.Cases, 6)
	b.Reset()
	require.NoError(t, JSON(&b, r.Inspect("TASK-02", Found{}, later)))
	require.True(t, json.Valid(b.Bytes()))
}

func TestADispatchIsShownByteForByteButForWhatSteersATerminal(t *testing.T) {
	t.Parallel()
	c := Context{Dispatch: "<dispatch>\n\ta < b\u202e \u00e9</dispatch>\n"}
	var b strings.Builder
	require.NoError(t, c.Text(&b, Style{}))
	require.True(t, strings.HasSuffix(b.String(), "\n<dispatch>\n\ta < b\uFFFD \u00e9</dispatch>\n"), b.String())
}

func TestListsAreNeverNullInJSON(t *testing.T) {
	t.Parallel()
	r := play(t, login()[:1], scheduler.Options{}).record()
	c, err := r.Context("TASK-01")
	require.NoError(t, err)
	f, err := Predict(r.Plan.Graph(), play(t, login()[:1], scheduler.Options{}).events, 1, "tip")
	require.NoError(t, err)
	for _, doc := range []any{r.Status(later), r.Inspect("TASK-01", Found{}, later), r.Explain("TASK-01"), c, f} {
		var b bytes.Buffer
		require.NoError(t, JSON(&b, doc))
		require.NotContains(t, b.String(), "null", "%T", doc)
	}
}

func FuzzPrinted(f *testing.F) {
	f.Add(evil, 20, 80)
	f.Add("50%\r100%\ndone\n", 1, 10)
	f.Fuzz(func(t *testing.T, s string, limit, columns int) {
		limit, columns = 1+abs(limit)%50, 1+abs(columns)%200
		lines, omitted := printed(s, limit, columns)
		require.LessOrEqual(t, len(lines), limit)
		require.GreaterOrEqual(t, omitted, 0)
		for _, line := range append(lines, wrapped(s, limit, columns)...) {
			require.LessOrEqual(t, ansi.StringWidth(line), max(columns, 10))
			require.False(t, strings.ContainsFunc(line, func(r rune) bool {
				return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
			}))
		}
	})
}

func abs(n int) int { return max(n, -(n + 1)) }
