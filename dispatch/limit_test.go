package dispatch_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/tasks"
	"github.com/taskpipeline/pipeline/window"
)

func long(word string, n int) string { return strings.TrimSpace(strings.Repeat(word+" ", n)) }

func ancestor(task tasks.ID, distance int, h window.Handoff) dispatch.Sent {
	return dispatch.Sent{From: "prev-task", Task: task, Distance: distance, Level: window.Full, Handoff: h}
}

func size(t require.TestingT, d dispatch.Dispatch) int {
	var b bytes.Buffer
	require.NoError(t, d.Encode(&b))
	return b.Len()
}

func TestDispatchWithinItsLimitIsLeftAlone(t *testing.T) {
	t.Parallel()
	d := dispatch.Dispatch{To: dispatch.Builder, Handoffs: []dispatch.Sent{ancestor("TASK-01", 1, window.Handoff{What: "x"})}}
	got, cuts := d.Limit(dispatch.MaxSize)
	require.Equal(t, d, got)
	require.Empty(t, cuts)
}

func TestLongestFieldsOfTheFarthestAncestorsAreCutFirst(t *testing.T) {
	t.Parallel()
	d := dispatch.Dispatch{
		To:   dispatch.Builder,
		Spec: dispatch.Spec{Description: long("spec", 5000)},
		Handoffs: []dispatch.Sent{
			ancestor("TASK-01", 1, window.Handoff{What: long("near", 4000)}),
			ancestor("TASK-02", 2, window.Handoff{What: long("far", 1000), Why: long("farther", 2000)}),
		},
	}
	want := size(t, d) - 5000
	got, cuts := d.Limit(want)
	require.Equal(t, []dispatch.Cut{{Task: "TASK-02", Field: "why", From: len(d.Handoffs[1].Handoff.Why), To: len(got.Handoffs[1].Handoff.Why)}}, cuts)
	require.LessOrEqual(t, size(t, got), want)
	require.True(t, strings.HasSuffix(got.Handoffs[1].Handoff.Why, "[… cut here]"))
	require.Equal(t, d.Handoffs[0], got.Handoffs[0])
	require.Equal(t, d.Spec, got.Spec)
}

func TestLimitNeverDropsAHandoffNorCutsTheSpec(t *testing.T) {
	t.Parallel()
	d := dispatch.Dispatch{
		Spec:     dispatch.Spec{Description: long("spec", 5000)},
		Handoffs: []dispatch.Sent{ancestor("TASK-01", 1, window.Handoff{What: long("near", 4000), Why: "short"})},
		Retry:    &dispatch.Retry{Attempt: 2, Progress: &dispatch.Progress{Text: long("done", 3000)}},
	}
	before := d.Retry.Progress.Text
	got, cuts := d.Limit(1)
	require.Equal(t, d.Spec, got.Spec)
	require.Len(t, got.Handoffs, 1)
	require.True(t, strings.HasPrefix(got.Handoffs[0].Handoff.What, "near near"))
	require.Equal(t, "short", got.Handoffs[0].Handoff.Why)
	require.Len(t, cuts, 2)
	require.Equal(t, before, d.Retry.Progress.Text, "the dispatch itself is not changed")
}

func TestLimitHoldsWheneverCuttingCanMakeIt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := dispatch.Dispatch{To: dispatch.Builder, Task: "TASK-09"}
		for range rapid.IntRange(1, 4).Draw(t, "ancestors") {
			word := rapid.SampledFrom([]string{"a", "<&>", "한", "x\n"}).Draw(t, "word")
			d.Handoffs = append(d.Handoffs, ancestor("TASK-01", rapid.IntRange(1, 3).Draw(t, "distance"),
				window.Handoff{What: long(word, rapid.IntRange(1, 3000).Draw(t, "n"))}))
		}
		limit := 16_000 + rapid.IntRange(0, 4000).Draw(t, "limit")
		got, _ := d.Limit(limit)
		require.LessOrEqual(t, size(t, got), limit)
		require.Len(t, got.Handoffs, len(d.Handoffs))
	})
}

func TestMarkupIsMeasuredAsItIsWritten(t *testing.T) {
	t.Parallel()
	d := dispatch.Dispatch{Handoffs: []dispatch.Sent{ancestor("TASK-01", 1, window.Handoff{What: long("<&>", 1126)})}}
	want := size(t, d) - 7
	got, cuts := d.Limit(want)
	require.LessOrEqual(t, size(t, got), want)
	require.Len(t, cuts, 1)
}
