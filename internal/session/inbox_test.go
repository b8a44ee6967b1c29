package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/scheduler"
)

func retry() scheduler.Event {
	return scheduler.Event{Verb: scheduler.RetryIt, Task: "TASK-03", From: "clean", Reason: "try\nagain"}
}

func TestARequestArrivesAsACommandEvent(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	id, err := s.Post(retry(), start)
	require.NoError(t, err)
	asked, err := s.Inbox(nil, start).Poll()
	require.NoError(t, err)
	want := retry()
	want.V, want.Type, want.Time, want.Request = scheduler.Version, scheduler.Command, start, id
	require.Equal(t, []scheduler.Event{want}, asked)
}

func TestARequestIsHandedOutOnceAndGoneWhenDone(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	_, err := s.Post(retry(), start)
	require.NoError(t, err)
	in := s.Inbox(nil, start)
	asked, err := in.Poll()
	require.NoError(t, err)
	require.Len(t, asked, 1)
	none, err := in.Poll()
	require.NoError(t, err)
	require.Empty(t, none)
	require.NoError(t, in.Done(asked[0]))
	require.NoError(t, in.Done(asked[0]), "done twice")
	left, err := os.ReadDir(s.requests())
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestARequestThatTheRecordHoldsIsRemovedAndNotAskedAgain(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	id, err := s.Post(retry(), start)
	require.NoError(t, err)
	recorded := scheduler.Event{Type: scheduler.Command, Request: id}
	asked, err := s.Inbox([]scheduler.Event{recorded}, start).Poll()
	require.NoError(t, err)
	require.Empty(t, asked)
	left, err := os.ReadDir(s.requests())
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestARequestThatWasNotRecordedIsAskedAgainByTheNextRun(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	_, err := s.Post(retry(), start)
	require.NoError(t, err)
	for range 2 {
		asked, err := s.Inbox(nil, start).Poll()
		require.NoError(t, err)
		require.Len(t, asked, 1)
	}
}

func TestRequestsArriveInTheOrderInWhichTheyWereMade(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	verbs := []scheduler.Verb{scheduler.Skip, scheduler.Approve, scheduler.Stop}
	for i, verb := range verbs {
		_, err := s.Post(scheduler.Event{Verb: verb, Task: "TASK-01"}, start.Add(time.Duration(i)*time.Second))
		require.NoError(t, err)
	}
	asked, err := s.Inbox(nil, start).Poll()
	require.NoError(t, err)
	for i, verb := range verbs {
		require.Equal(t, verb, asked[i].Verb)
	}
}

func TestAStopThatIsOlderThanTheRunIsAnsweredWithAWarning(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	old, err := s.Post(scheduler.Event{Verb: scheduler.Stop}, start.Add(-time.Second))
	require.NoError(t, err)
	_, err = s.Post(retry(), start.Add(-time.Second))
	require.NoError(t, err)
	_, err = s.Post(scheduler.Event{Verb: scheduler.Stop}, start)
	require.NoError(t, err)
	in := s.Inbox(nil, start)
	asked, err := in.Poll()
	require.NoError(t, err)
	byRequest := map[string]scheduler.Type{}
	var verbs []scheduler.Verb
	for _, e := range asked {
		byRequest[e.Request] = e.Type
		if e.Type == scheduler.Command {
			verbs = append(verbs, e.Verb)
		}
	}
	require.Equal(t, scheduler.Warning, byRequest[old])
	require.Equal(t, []scheduler.Verb{scheduler.RetryIt, scheduler.Stop}, verbs)
	for _, e := range asked {
		require.NoError(t, in.Done(e))
	}
	left, err := os.ReadDir(s.requests())
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestARequestCanBeTakenBackOnce(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	id, err := s.Post(retry(), start)
	require.NoError(t, err)
	left, err := s.TakeBack(id)
	require.NoError(t, err)
	require.True(t, left)
	left, err = s.TakeBack(id)
	require.NoError(t, err)
	require.False(t, left)
}

func TestPostRefusesWhatNoRunCouldUse(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	for says, e := range map[string]scheduler.Event{
		"names no verb":   {},
		"unknown verb":    {Verb: "explode", Task: "TASK-01"},
		"names no TASK":   {Verb: scheduler.Approve},
		"shorter reason":  {Verb: scheduler.Skip, Task: "TASK-01", Reason: strings.Repeat("x", maxRequest)},
		"names no TASK; ": {Verb: scheduler.RetryIt},
	} {
		_, err := s.Post(e, start)
		require.ErrorContains(t, err, strings.TrimSuffix(says, "; "))
	}
	left, err := os.ReadDir(s.requests())
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestAFileThatIsNoRequestIsPutAsideWithAWarning(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"readme.json":              "{}",
		NewID(start) + ".json":     "nonsense",
		NewID(start) + "0.json":    `{"v":1,"type":"command","verb":"stop"}`,
		"A\x1b[31m.json":           "{}",
		NewID(start)[1:] + ".json": "{}",
	} {
		s := fresh(t)
		path := filepath.Join(s.requests(), name)
		write(t, path, content)
		in := s.Inbox(nil, start)
		asked, err := in.Poll()
		require.NoError(t, err)
		require.Len(t, asked, 1, name)
		require.Equal(t, scheduler.Warning, asked[0].Type)
		require.NotContains(t, asked[0].Reason, "\x1b")
		require.Equal(t, content, text(t, path+".bad"))
		require.NoError(t, in.Done(asked[0]))
		asked, err = in.Poll()
		require.NoError(t, err)
		require.Empty(t, asked)
	}
}

func TestARequestCannotSmuggleInAFact(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	id := NewID(start)
	write(t, filepath.Join(s.requests(), id+".json"), `{"v":1,"seq":9,"time":"2026-03-12T10:35:00Z","type":"command","verb":"approve","task":"TASK-01","status":"PASS","commit":"abc","found":true}`)
	in := s.Inbox(nil, start)
	asked, err := in.Poll()
	require.NoError(t, err)
	require.Equal(t, []scheduler.Event{{
		V: 1, Time: start.Truncate(time.Second), Type: scheduler.Command, Verb: scheduler.Approve, Task: "TASK-01", Request: id,
	}}, asked)

	write(t, filepath.Join(s.requests(), NewID(start)+".json"), `{"v":1,"type":"stage_finished","status":"PASS"}`)
	asked, err = in.Poll()
	require.NoError(t, err)
	require.Len(t, asked, 1)
	require.Equal(t, scheduler.Warning, asked[0].Type)
}

func TestWatchHandsOutARequestWithinASecond(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		events := s.Inbox(nil, start).Watch(ctx)
		synctest.Wait()
		_, err := s.Post(scheduler.Event{Verb: scheduler.Stop}, start)
		require.NoError(t, err)
		posted := time.Now()
		require.Equal(t, scheduler.Stop, (<-events).Verb)
		require.LessOrEqual(t, time.Since(posted), time.Second)
		cancel()
		_, open := <-events
		require.False(t, open)
	})
}

func TestWatchEndsWithItsContextThoughNobodyListens(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	_, err := s.Post(scheduler.Event{Verb: scheduler.Stop}, start)
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s.Inbox(nil, start).Watch(ctx)
		synctest.Wait()
		cancel()
	})
}

func TestWatchTellsOnceOfAFolderThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	require.NoError(t, os.Remove(s.requests()))
	write(t, s.requests(), "a file")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var told []scheduler.Event
		for e := range s.Inbox(nil, start).Watch(ctx) {
			told = append(told, e)
		}
		require.Len(t, told, 1)
		require.Equal(t, scheduler.Warning, told[0].Type)
	})
}

func TestFollowYieldsWhatIsThereAndWhatIsAdded(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan scheduler.Event)
		go func() {
			defer close(got)
			for e, err := range s.Follow(ctx) {
				if err != nil {
					t.Error(err)
				}
				got <- e
			}
		}()
		synctest.Wait()
		record(t, s, scheduler.RunStarted)
		require.Equal(t, scheduler.RunStarted, (<-got).Type)
		write(t, s.EventsFile(), text(t, s.EventsFile())+`{"v":1,"se`)
		synctest.Wait()
		record(t, s, scheduler.RunJoined, scheduler.RunFinished)
		require.Equal(t, scheduler.RunJoined, (<-got).Type)
		require.Equal(t, scheduler.RunFinished, (<-got).Type)
		cancel()
		_, open := <-got
		require.False(t, open)
	})
}

func TestFollowStopsAtABadLine(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	write(t, s.EventsFile(), "nonsense\n")
	for _, err := range s.Follow(t.Context()) {
		var bad *RecordError
		require.True(t, errors.As(err, &bad))
	}
}

func FuzzRequest(f *testing.F) {
	id := NewID(start)
	f.Add([]byte(`{"v":1,"time":"2026-03-12T10:35:00Z","type":"command","verb":"approve","task":"TASK-01"}`))
	f.Add([]byte(`{"v":1,"type":"stage_finished"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := parseRequest(id, b)
		if err == nil && (e.Type != scheduler.Command || e.Request != id || e.Seq != 0 || e.Result != nil) {
			t.Fatalf("%+v", e)
		}
	})
}
