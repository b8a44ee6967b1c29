package session

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taskpipeline/pipeline/stages"
)

func claude(id string) stages.AgentSession {
	return stages.AgentSession{SessionID: id, Model: "sonnet", CodingAgent: "claude"}
}

func TestAnAgentsSessionIsRemembered(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	agent := (&Sinks{Session: s}).Sink(step()).AgentSession("TASK-03-builder")
	_, ok, err := agent.Load()
	require.NoError(t, err)
	require.False(t, ok)
	require.NoError(t, agent.Store(claude("one")))
	got, ok, err := agent.Load()
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, claude("one"), got)
	_, ok, err = s.Agent("TASK-04-builder").Load()
	require.NoError(t, err)
	require.False(t, ok)
}

func TestTheAgentMapHasExactlyItsThreeKeys(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	require.NoError(t, s.Agent("TASK-03-builder").Store(claude("one")))
	require.NoError(t, s.Agent("TASK-03-verifier").Store(stages.AgentSession{SessionID: "two", CodingAgent: "pi"}))
	var raw map[string]map[string]any
	require.NoError(t, json.Unmarshal([]byte(text(t, filepath.Join(s.Dir, "agent_map.json"))), &raw))
	require.Equal(t, map[string]map[string]any{
		"TASK-03-builder":  {"session_id": "one", "model": "sonnet", "coding_agent": "claude"},
		"TASK-03-verifier": {"session_id": "two", "model": "", "coding_agent": "pi"},
	}, raw)
}

func TestAgentsStoreAtTheSameTimeAndNoneIsLost(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			if err := s.Agent(fmt.Sprintf("agent-%d", i)).Store(claude(fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	all, err := s.Agents()
	require.NoError(t, err)
	require.Len(t, all, 16)
	require.Equal(t, "7", all["agent-7"].SessionID)
}

func TestACorruptAgentMapIsAnErrorThatNamesTheFileAndKeepsIt(t *testing.T) {
	t.Parallel()
	for _, corrupt := range []string{
		"", "nonsense", "null", "[]", "{}{}", `{"a":null}`, `{"a":{}}`, `{"a":{"session_id":1,"model":"","coding_agent":"pi"}}`,
		`{"a":{"session_id":"x","model":"m","coding_agent":"pi","extra":1}}`, `{"a":{"session_id":"","model":"m","coding_agent":"pi"}}`,
		`{"":{"session_id":"x","model":"m","coding_agent":"pi"}}`, "{\"a\xff\":{\"session_id\":\"x\",\"model\":\"m\",\"coding_agent\":\"pi\"}}",
	} {
		s := fresh(t)
		path := filepath.Join(s.Dir, "agent_map.json")
		write(t, path, corrupt)
		_, _, err := s.Agent("a").Load()
		var bad *AgentMapError
		require.ErrorAs(t, err, &bad, "%q", corrupt)
		require.ErrorContains(t, err, path)
		require.ErrorAs(t, s.Agent("a").Store(claude("x")), &bad, "%q", corrupt)
		require.Equal(t, corrupt, text(t, path))
	}
}

func TestAnAgentMapThatLeadsElsewhereIsNotRead(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	require.NoError(t, os.Symlink("/etc/hostname", filepath.Join(s.Dir, "agent_map.json")))
	_, _, err := s.Agent("a").Load()
	require.ErrorContains(t, err, "not a regular file")
}

func TestAnEntryThatCouldNotBeReadBackIsNotStored(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	require.ErrorContains(t, s.Agent("").Store(claude("x")), "has no name")
	require.ErrorContains(t, s.Agent("a").Store(stages.AgentSession{CodingAgent: "pi"}), "session_id is empty")
	for _, id := range []string{"--dangerously-skip", "a b", "a\nb"} {
		require.ErrorContains(t, s.Agent("a").Store(stages.AgentSession{SessionID: id, CodingAgent: "pi"}), "cannot be one")
	}
	require.ErrorContains(t, s.Agent("a").Store(stages.AgentSession{SessionID: "x"}), "coding_agent is empty")
	require.ErrorContains(t, s.Agent("a").Store(claude("\xff")), "UTF-8")
	require.ErrorContains(t, s.Agent(strings.Repeat("x", 513)).Store(claude("x")), "513 bytes")
	require.NoFileExists(t, filepath.Join(s.Dir, "agent_map.json"))
}

func FuzzAgentMap(f *testing.F) {
	f.Add([]byte(`{"a":{"session_id":"x","model":"m","coding_agent":"pi"}}`))
	f.Add([]byte(`{"a":{"session_id":"x"}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := parseAgentMap(b)
		if err != nil {
			return
		}
		out, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseAgentMap(out)
		if err != nil || len(again) != len(all) {
			t.Fatalf("%q does not come back: %v", out, err)
		}
	})
}
