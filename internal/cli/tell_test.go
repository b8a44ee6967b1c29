package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/scheduler"
)

// waiting makes a session whose TASK-01 waits for approval, with no run alive.
func waiting(t *testing.T) (*project, *session.Session) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"tasks/TASK-01.md": "---\napprove: true\n---\n# TASK-01: One\n\n## Build\n```sh\necho 1 > one.txt\n```\n\n## Verify\n```sh\ntrue\n```\n",
	})
	commitAll(t, dir)
	code, _, stderr := typed(dir, "run", "-o", "quiet", "--session", "w")
	require.Equal(t, 6, code, stderr)
	pr, err := (&Process{Dir: dir}).project(t.Context())
	require.NoError(t, err)
	s, err := pr.store.Open("w")
	require.NoError(t, err)
	return pr, s
}

// commands are the verbs that a session's record holds.
func commands(t *testing.T, s *session.Session) (verbs []scheduler.Verb) {
	events, err := s.Read()
	require.NoError(t, err)
	for _, e := range events {
		if e.Type == scheduler.Command {
			verbs = append(verbs, e.Verb)
		}
	}
	return verbs
}

// requests are what the next run of the session would be asked.
func requests(t *testing.T, s *session.Session) []scheduler.Event {
	asked, err := s.Inbox(nil, time.Time{}).Poll()
	require.NoError(t, err)
	return asked
}

func TestACommandForARunThatEndedMeanwhileIsRecordedAtOnce(t *testing.T) {
	t.Parallel()
	pr, s := waiting(t)
	approve := scheduler.Event{Type: scheduler.Command, Verb: scheduler.Approve, Task: "TASK-01"}
	got, err := ask(pr, s, approve, session.Holder{PID: 1, Session: s.ID})
	require.NoError(t, err)
	require.Equal(t, reply{text: "recorded"}, got)
	require.Equal(t, []scheduler.Verb{scheduler.Approve}, commands(t, s))
	require.Empty(t, requests(t, s))
}

func TestAStopForARunThatEndedMeanwhileIsTakenBack(t *testing.T) {
	t.Parallel()
	pr, s := waiting(t)
	_, err := ask(pr, s, scheduler.Event{Type: scheduler.Command, Verb: scheduler.Stop}, session.Holder{PID: 1, Session: s.ID})
	require.ErrorIs(t, err, errNothing)
	require.Empty(t, commands(t, s))
	require.Empty(t, requests(t, s))
}

func TestACommandStaysForTheRunThatLives(t *testing.T) {
	t.Parallel()
	pr, s := waiting(t)
	lock, err := session.Acquire(pr.repo.CommonDir(), s.ID, time.Now())
	require.NoError(t, err)
	defer func() { require.NoError(t, lock.Release()) }()
	got, err := tell(pr, s, scheduler.Event{Type: scheduler.Command, Verb: scheduler.Approve, Task: "TASK-01"})
	require.NoError(t, err)
	require.True(t, got.live)
	require.Empty(t, commands(t, s))
	require.Len(t, requests(t, s), 1)

	// Another run has followed the one that was seen: the request is left to it.
	got, err = ask(pr, s, scheduler.Event{Type: scheduler.Command, Verb: scheduler.Approve, Task: "TASK-01"}, session.Holder{PID: 1, Session: s.ID})
	require.NoError(t, err)
	require.True(t, got.live)
	require.Len(t, requests(t, s), 2)
}
