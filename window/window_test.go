package window_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taskpipeline/pipeline/window"
)

func TestImmediateDependencyIsFull(t *testing.T) {
	t.Parallel()
	require.Equal(t, window.Full, window.At(1))
}

func TestTwoStepsBackIsSummary(t *testing.T) {
	t.Parallel()
	require.Equal(t, window.Summary, window.At(2))
}

func TestThreeAndMoreStepsBackIsDropped(t *testing.T) {
	t.Parallel()
	require.Equal(t, window.Drop, window.At(3))
	require.Equal(t, window.Drop, window.At(100_000))
}

func TestWhatIsNoAncestorIsDropped(t *testing.T) {
	t.Parallel()
	require.Equal(t, window.Drop, window.At(0))
	require.Equal(t, window.Drop, window.At(-1))
}

func TestBordersMoveTheWindow(t *testing.T) {
	t.Parallel()
	wide := window.Borders{Full: 2, Summary: 4}
	var levels []window.Level
	for distance := range 6 {
		levels = append(levels, wide.At(distance))
	}
	require.Equal(t, []window.Level{window.Drop, window.Full, window.Full, window.Summary, window.Summary, window.Drop}, levels)
	require.Equal(t, 4, wide.Reach())
	require.Equal(t, 2, window.Borders{}.Reach())
}

func TestNothingIsSentBeyondTheReach(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := window.Borders{Full: rapid.IntRange(0, 9).Draw(t, "full"), Summary: rapid.IntRange(0, 9).Draw(t, "summary")}
		d := rapid.IntRange(1, 20).Draw(t, "distance")
		require.Equal(t, d > b.Reach(), b.At(d) == window.Drop)
		require.GreaterOrEqual(t, b.At(d), b.At(d+1), "a handoff never gains detail on its way")
	})
}

func TestFullSendsAllFourFields(t *testing.T) {
	t.Parallel()
	h := window.Handoff{What: "a", Why: "b", Caution: "c", Incomplete: "d"}
	require.Equal(t, h, h.Trim(window.Full))
}

func TestSummaryIsWhatOnlyItsFirstThreeLines(t *testing.T) {
	t.Parallel()
	h := window.Handoff{What: "one\n\n  two\n\t\nthree\nfour", Why: "b", Caution: "c", Incomplete: "d"}
	require.Equal(t, window.Handoff{What: "one\n  two\nthree"}, h.Trim(window.Summary))
}

func TestDropLeavesNothing(t *testing.T) {
	t.Parallel()
	require.Zero(t, window.Handoff{What: "a", Why: "b"}.Trim(window.Drop))
}

func TestTrimmingAgainChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := window.Handoff{What: rapid.String().Draw(t, "what"), Why: rapid.String().Draw(t, "why")}
		l := rapid.SampledFrom([]window.Level{window.Drop, window.Summary, window.Full}).Draw(t, "level")
		once := h.Trim(l)
		require.Equal(t, once, once.Trim(l))
	})
}

func TestMergedHandoffHasTheBuildersWhatAndWhyAndBothsCaveats(t *testing.T) {
	t.Parallel()
	got := window.Merge(
		window.Handoff{What: "built", Why: "asked", Caution: "slow", Incomplete: "None"},
		window.Handoff{What: "checked", Why: "green", Caution: "look at\n\nthe page", Incomplete: "no browser here"},
	)
	require.Equal(t, window.Handoff{
		What:       "built",
		Why:        "asked",
		Caution:    "slow\n[verifier] look at\n[verifier] the page",
		Incomplete: "[verifier] no browser here",
	}, got)
}

func TestNoneIsLeftOutOfAMergeInEverySpelling(t *testing.T) {
	t.Parallel()
	for _, none := range []string{"", " \n", "None", "none.", "(None)", "없음", "(없음)", "なし", "-", "–", "—", "N/A"} {
		require.True(t, window.None(none), "%q", none)
		h := window.Handoff{Caution: none, Incomplete: none}
		require.Zero(t, window.Merge(h, h), "%q", none)
	}
	require.False(t, window.None("None of the pages is translated"))
	require.False(t, window.None("none\nbut one"))
}

func TestLevelsAreSpelledAsInMessages(t *testing.T) {
	t.Parallel()
	b, err := json.Marshal([]window.Level{window.Full, window.Summary, window.Drop})
	require.NoError(t, err)
	require.JSONEq(t, `["FULL","SUMMARY","DROP"]`, string(b))
	var back []window.Level
	require.NoError(t, json.Unmarshal(b, &back))
	require.Equal(t, []window.Level{window.Full, window.Summary, window.Drop}, back)
}

func TestAnUnknownLevelIsAnError(t *testing.T) {
	t.Parallel()
	var l window.Level
	require.EqualError(t, l.UnmarshalText([]byte("full")), `"full" is not a level: write FULL, SUMMARY or DROP`)
	_, err := window.Level(7).MarshalText()
	require.EqualError(t, err, "Level(7) is not a level: use Full, Summary or Drop")
}

func TestLinesOverTheBudgetAreNamedAndKept(t *testing.T) {
	t.Parallel()
	lines := func(n int) string { return strings.Repeat("line\n\n", n) }
	require.Empty(t, window.OverBudget(window.Handoff{What: lines(5), Why: lines(4), Caution: lines(3), Incomplete: lines(2)}))
	require.Equal(t, []string{
		"what has 6 lines, asked for are at most 5",
		"incomplete has 3 lines, asked for are at most 2",
	}, window.OverBudget(window.Handoff{What: lines(6), Incomplete: lines(3)}))
}

func TestCleaningTwiceIsCleaningOnce(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a\n\tb\uFFFDc\uFFFD", window.Clean(" \r\na\r\n\tb\x1bc\xff\n"))
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		require.Equal(t, window.Clean(s), window.Clean(window.Clean(s)))
	})
}

func ExampleHandoff_Trim() {
	h := window.Handoff{What: "Log in with a password", Why: "Sessions need a user", Incomplete: "None"}
	for distance := 1; distance <= 3; distance++ {
		level := window.At(distance)
		fmt.Printf("%d %-7s %+v\n", distance, level, h.Trim(level))
	}
	// Output:
	// 1 FULL    {What:Log in with a password Why:Sessions need a user Caution: Incomplete:None}
	// 2 SUMMARY {What:Log in with a password Why: Caution: Incomplete:}
	// 3 DROP    {What: Why: Caution: Incomplete:}
}

func TestEachFieldHasItsOwnBudgetOfLines(t *testing.T) {
	t.Parallel()
	lines := func(n int) string { return strings.TrimSuffix(strings.Repeat("a line\n", n), "\n") }
	within := window.Handoff{What: lines(5), Why: lines(4), Caution: lines(3), Incomplete: lines(2)}
	require.Empty(t, window.OverBudget(within))
	for _, over := range []window.Handoff{{What: lines(6)}, {What: "x", Why: lines(5)}, {What: "x", Caution: lines(4)}, {What: "x", Incomplete: lines(3)}} {
		require.Len(t, window.OverBudget(over), 1)
	}
}
