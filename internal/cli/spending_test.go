package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
)

// TestWhatIsUsedUpCountsOnce has a step that was cut off after a reply, one that
// tells of its sends and of their sum, one that waited, and one that only tells
// of a sum.
func TestWhatIsUsedUpCountsOnce(t *testing.T) {
	t.Parallel()
	about := func(kind scheduler.Type, stage dispatch.Stage, attempt int) scheduler.Event {
		return scheduler.Event{Type: kind, Task: "TASK-01", Stage: stage, Attempt: attempt}
	}
	reply := func(attempt int, tokens float64) scheduler.Event {
		e := about(scheduler.AgentReplied, dispatch.Builder, attempt)
		e.Data = map[string]any{"input_tokens": tokens, "usd": 0.25, "valid": true}
		return e
	}
	sum := func(e scheduler.Event, u stages.Usage) scheduler.Event {
		e.Usage = &u
		return e
	}
	events := []scheduler.Event{
		{Type: scheduler.RunStarted},
		about(scheduler.StageStarted, dispatch.Builder, 1), reply(1, 100),
		{Type: scheduler.RunJoined},
		about(scheduler.StageStarted, dispatch.Builder, 1), reply(1, 10),
		sum(about(scheduler.StageFinished, dispatch.Builder, 1), stages.Usage{Sends: 1, InputTokens: 10, USD: 0.25}),
		about(scheduler.StageStarted, dispatch.Verifier, 1),
		sum(about(scheduler.WaitStarted, dispatch.Verifier, 1), stages.Usage{Sends: 1, OutputTokens: 1, USD: 0.5}),
		sum(about(scheduler.StageFinished, dispatch.Verifier, 1), stages.Usage{Sends: 2, OutputTokens: 2}),
		about(scheduler.StageStarted, dispatch.Builder, 2), reply(2, 1000),
		sum(about(scheduler.StageFinished, dispatch.Builder, 2), stages.Usage{Sends: 1, InputTokens: 1000, USD: 0.25}),
	}
	want := stages.Usage{Sends: 6, InputTokens: 1110, OutputTokens: 3, USD: 1.25}
	require.Equal(t, want, usedUp(events))

	s, err := session.At(t.TempDir()).Create("s1", time.Now())
	require.NoError(t, err)
	j, _, err := s.Journal()
	require.NoError(t, err)
	for i := range events {
		events[i].V, events[i].Seq = scheduler.Version, int64(i+1)
		require.NoError(t, j.Append(&events[i]))
	}
	require.NoError(t, j.Close())
	require.Equal(t, want, spentBy(s))
}
