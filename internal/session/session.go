package session

import (
	"path/filepath"
	"sync"
)

const (
	eventsFile    = "events.jsonl"
	agentMapFile  = "agent_map.json"
	outputFile    = "raw_output.jsonl"
	handoffFolder = "context_handoff"
	requestFolder = "requests"
)

// Session is one session's folder. It is safe for concurrent use.
type Session struct {
	ID  string
	Dir string // absolute path

	agents sync.Mutex // held while agent_map.json is read and replaced
	ledger ledger
	mapped []byte // agent_map.json as this process last knew it; guarded by agents
}

// EventsFile is the path of the session's record.
func (s *Session) EventsFile() string { return filepath.Join(s.Dir, eventsFile) }

// HandoffDir is the path of the one folder in which agents write files for the
// agents that follow.
func (s *Session) HandoffDir() string { return filepath.Join(s.Dir, handoffFolder) }

// AgentDir is the path of one agent's folder; the name is that of
// stages.Step.Agent, such as "TASK-03-builder".
func (s *Session) AgentDir(agent string) string { return filepath.Join(s.Dir, agent) }
