package session

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// watched is a session that is written by a run.
func watched(t *testing.T) (*Session, *Journal, stages.Sink) {
	t.Helper()
	s := fresh(t)
	j, _, err := s.Journal()
	require.NoError(t, err)
	t.Cleanup(func() { _ = j.Close() })
	return s, j, (&Sinks{Session: s}).Sink(step())
}

func TestFileThatSomebodyElseChangesIsFoundOnce(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(dir string) error{
		"TASK-03-builder/dispatch-1.xml": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "TASK-03-builder/dispatch-1.xml"), []byte("<forged/>"), 0o644)
		},
		"TASK-03-builder/prompts/0001-user.md": func(dir string) error { return os.Remove(filepath.Join(dir, "TASK-03-builder/prompts/0001-user.md")) },
		"TASK-03-builder/raw_output.jsonl": func(dir string) error {
			return os.Truncate(filepath.Join(dir, "TASK-03-builder/raw_output.jsonl"), 1)
		},
		"agent_map.json": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "agent_map.json"), []byte("{}"), 0o644)
		},
		"TASK-09-builder/task-result-1.xml": func(dir string) error {
			if err := os.Mkdir(filepath.Join(dir, "TASK-09-builder"), 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "TASK-09-builder/task-result-1.xml"), nil, 0o644)
		},
		"link": func(dir string) error { return os.Symlink("/etc/passwd", filepath.Join(dir, "link")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _, sink := watched(t)
			require.NoError(t, sink.Save("dispatch-1.xml", []byte("<dispatch/>")))
			require.NoError(t, sink.Save("prompts/0001-user.md", []byte("hello")))
			require.NoError(t, s.Agent("TASK-03-builder").Store(stages.AgentSession{SessionID: "1", CodingAgent: "pi"}))
			_, err := sink.Output().Write([]byte("a line\n"))
			require.NoError(t, err)
			foreign, err := s.Foreign()
			require.NoError(t, err)
			require.Empty(t, foreign, "what the run itself has written is its own")

			require.NoError(t, change(s.Dir))
			foreign, err = s.Foreign()
			require.NoError(t, err)
			require.Equal(t, []string{name}, foreign)
			foreign, err = s.Foreign()
			require.NoError(t, err)
			require.Empty(t, foreign)
		})
	}
}

func TestAgentMapThatSomebodyElseChangesIsPutBack(t *testing.T) {
	t.Parallel()
	s, _, _ := watched(t)
	path := filepath.Join(s.Dir, agentMapFile)
	require.NoError(t, os.WriteFile(path, []byte("{}"), 0o644))
	_, err := s.Foreign()
	require.NoError(t, err)
	require.NoFileExists(t, path, "there was none")
	foreign, err := s.Foreign()
	require.NoError(t, err)
	require.Empty(t, foreign)

	require.NoError(t, s.Agent("TASK-03-builder").Store(stages.AgentSession{SessionID: "1", CodingAgent: "pi"}))
	was := text(t, path)
	for _, forged := range []string{"{ruined", `{"TASK-03-builder":{"session_id":"--evil","model":"","coding_agent":"pi"}}`} {
		require.NoError(t, os.WriteFile(path, []byte(forged), 0o644))
		foreign, err := s.Foreign()
		require.NoError(t, err)
		require.Equal(t, []string{agentMapFile}, foreign)
		require.Equal(t, was, text(t, path))
		foreign, err = s.Foreign()
		require.NoError(t, err)
		require.Empty(t, foreign)
	}
}

func TestWhereOthersMayWriteNothingIsForeign(t *testing.T) {
	t.Parallel()
	s, _, _ := watched(t)
	for _, name := range []string{"context_handoff/notes/a.md", "TASK-03-builder/agent_sessions/state.db", "requests/1.json", "outside/TASK-03_progress.md"} {
		path := filepath.Join(s.Dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, nil, 0o644))
	}
	foreign, err := s.Foreign()
	require.NoError(t, err)
	require.Empty(t, foreign)
}

func TestRecordThatSomebodyElseChangesCannotBeGoneOnWith(t *testing.T) {
	t.Parallel()
	s, j, _ := watched(t)
	require.NoError(t, j.Append(&scheduler.Event{V: 1, Seq: 1, Type: scheduler.Warning}))
	f, err := os.OpenFile(s.EventsFile(), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"v":1,"seq":2,"type":"task_landed"}` + "\n")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, j.Append(&scheduler.Event{V: 1, Seq: 2, Type: scheduler.Warning}), "which writes over it")
	_, err = s.Foreign()
	var ruined *RecordError
	require.ErrorAs(t, err, &ruined)
}

func TestRunThatWritesMuchAtOnceIsNotTakenForSomebodyElse(t *testing.T) {
	t.Parallel()
	s, j, _ := watched(t)
	var group errgroup.Group
	for n := range 8 {
		group.Go(func() error {
			sink := (&Sinks{Session: s, Limit: 4096}).Sink(stages.Step{Task: tasks.ID(fmt.Sprintf("TASK-%02d", n)), Stage: "builder", Attempt: 1})
			for i := range 30 {
				if _, err := sink.Output().Write([]byte("a line of output\n")); err != nil {
					return err
				}
				if err := sink.Save(fmt.Sprintf("prompts/%d-%d.md", n, i%3), []byte("x")); err != nil {
					return err
				}
				if foreign, err := s.Foreign(); err != nil || len(foreign) > 0 {
					return fmt.Errorf("foreign: %v %w", foreign, err)
				}
			}
			return nil
		})
	}
	group.Go(func() error {
		for i := range int64(100) {
			if err := j.Append(&scheduler.Event{V: 1, Seq: i + 1, Type: scheduler.Warning}); err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(t, group.Wait())
}
