package session

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taskpipeline/pipeline/dispatch"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
)

// holdVariable turns the test binary into a run that holds a lock until it is
// killed.
const holdVariable = "SESSION_TEST_HOLD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdVariable); dir != "" {
		_, err := Acquire(dir, "dead", start)
		fmt.Println("held", err)
		select {}
	}
	goleak.VerifyTestMain(m)
}

var start = time.Date(2026, 3, 12, 10, 35, 0, 123456789, time.UTC)

// fresh is a new session in a repository of its own.
func fresh(t testing.TB) *Session {
	t.Helper()
	s, err := At(t.TempDir()).Create("", start)
	require.NoError(t, err)
	return s
}

func event(seq int64, kind scheduler.Type) *scheduler.Event {
	return &scheduler.Event{V: scheduler.Version, Seq: seq, Time: start.Add(time.Duration(seq) * time.Second), Type: kind}
}

// record writes events of the given types.
func record(t testing.TB, s *Session, kinds ...scheduler.Type) {
	t.Helper()
	j, past, err := s.Journal()
	require.NoError(t, err)
	for i, kind := range kinds {
		require.NoError(t, j.Append(event(int64(len(past)+i+1), kind)))
	}
	require.NoError(t, j.Close())
}

func step() stages.Step {
	return stages.Step{Task: "TASK-03", Stage: dispatch.Builder, Attempt: 1}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func text(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}
