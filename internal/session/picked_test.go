package session

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/scheduler"
)

func TestOnlyPickedLinesAreLookedAt(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	record(t, s, scheduler.RunStarted, scheduler.TaskStarted, scheduler.Warning, scheduler.Warning)
	text := bytes.ReplaceAll([]byte(text(t, s.EventsFile())), []byte(`"task_started"`), []byte(`{`))
	write(t, s.EventsFile(), string(text)+`{"torn":`)
	var seen []int64
	for e, err := range s.Picked(func(line []byte) bool { return bytes.Contains(line, []byte(`"warning"`)) }) {
		require.NoError(t, err)
		seen = append(seen, e.Seq)
	}
	require.Equal(t, []int64{3, 4}, seen)

	var all []error
	for _, err := range s.Picked(func([]byte) bool { return true }) {
		all = append(all, err)
	}
	var bad *RecordError
	require.Len(t, all, 2)
	require.ErrorAs(t, errors.Join(all...), &bad)
	require.Equal(t, 2, bad.Line)
}

func TestNothingIsPickedOfASessionWithoutARecord(t *testing.T) {
	t.Parallel()
	for range fresh(t).Picked(func([]byte) bool { return true }) {
		t.Fail()
	}
}
