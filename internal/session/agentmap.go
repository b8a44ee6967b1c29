package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/taskpipeline/pipeline/stages"
)

// maxAgentMap bounds what is read of an agent_map.json: agents can write there.
const maxAgentMap = 64 << 20

// AgentMapError is an agent_map.json that does not say what it should. The file
// is kept as it is.
type AgentMapError struct {
	File string
	Err  error
}

func (e *AgentMapError) Error() string {
	return fmt.Sprintf("%s: %v; mend it, or move it away to start every agent anew", e.File, e.Err)
}

// Unwrap is the reason.
func (e *AgentMapError) Unwrap() error { return e.Err }

// Agent is the memory of one agent's session in agent_map.json. Loading and
// storing are safe for concurrent use by all agents of this Session.
func (s *Session) Agent(name string) stages.AgentStore { return agentStore{s, name} }

type agentStore struct {
	session *Session
	name    string
}

func (a agentStore) Load() (stages.AgentSession, bool, error) {
	a.session.agents.Lock()
	defer a.session.agents.Unlock()
	all, err := a.session.agentMap()
	found, ok := all[a.name]
	return found, ok, err
}

func (a agentStore) Store(entry stages.AgentSession) error {
	if err := checkAgent(a.name, entry); err != nil {
		return fmt.Errorf("agent %q: %w", clip(a.name, maxName), err)
	}
	a.session.agents.Lock()
	defer a.session.agents.Unlock()
	all, err := a.session.agentMap()
	if err != nil {
		return err
	}
	if all[a.name] == entry {
		return nil
	}
	if all == nil {
		all = map[string]stages.AgentSession{}
	}
	all[a.name] = entry
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	b = append(b, '\n')
	if err := a.session.save(agentMapFile, b); err != nil {
		return err
	}
	a.session.mapped = b
	return nil
}

// Agents is all of agent_map.json; nil if there is none. The error is an
// *AgentMapError unless the file could not be read at all.
func (s *Session) Agents() (map[string]stages.AgentSession, error) {
	s.agents.Lock()
	defer s.agents.Unlock()
	return s.agentMap()
}

func (s *Session) agentMap() (map[string]stages.AgentSession, error) {
	path := filepath.Join(s.Dir, agentMapFile)
	b, err := readInside(s.Dir, agentMapFile, maxAgentMap)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &AgentMapError{File: path, Err: err}
	}
	all, err := parseAgentMap(b)
	if err != nil {
		return nil, &AgentMapError{File: path, Err: err}
	}
	return all, nil
}

func parseAgentMap(b []byte) (map[string]stages.AgentSession, error) {
	if !utf8.Valid(b) {
		return nil, errors.New("not valid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	var all map[string]stages.AgentSession
	if err := dec.Decode(&all); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("something follows the JSON object")
	}
	if all == nil {
		return nil, errors.New("null where a JSON object was expected")
	}
	for name, entry := range all {
		if err := checkAgent(name, entry); err != nil {
			return nil, fmt.Errorf("agent %q: %w", clip(name, maxName), err)
		}
	}
	return all, nil
}

func checkAgent(name string, entry stages.AgentSession) error {
	switch {
	case name == "":
		return errors.New("has no name")
	case len(name) > maxName:
		return fmt.Errorf("has a name of %d bytes, at most %d are allowed", len(name), maxName)
	case entry.SessionID == "":
		return errors.New("session_id is empty")
	case strings.HasPrefix(entry.SessionID, "-"), strings.ContainsFunc(entry.SessionID, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return fmt.Errorf("session_id %q cannot be one: it becomes an argument of the agent's program", clip(entry.SessionID, 100))
	case entry.CodingAgent == "":
		return errors.New("coding_agent is empty")
	case !utf8.ValidString(name + entry.SessionID + entry.Model + entry.CodingAgent):
		return errors.New("not valid UTF-8")
	}
	return nil
}
