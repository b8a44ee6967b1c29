package agent

import (
	"path/filepath"

	"github.com/taskpipeline/pipeline/stages"
)

// session is the agent's own conversation, which its CLI keeps.
type session struct {
	store stages.AgentStore
	id    string
	known bool // it is in agent_map.json: the CLI is asked to go on with it
}

// remembered is the session to go on with. A session belongs to one model and
// one coding agent: where either has changed, a fresh one begins.
func (c *conversation) remembered() (session, error) {
	s := session{store: c.req.Sink.AgentSession(c.req.Step.Agent())}
	entry, ok, err := s.store.Load()
	if err != nil {
		return s, err
	}
	anew := c.Fresh && c.req.Resume == nil && !c.req.Interrupted && max(c.req.Step.Round, 1) == 1
	if ok && !anew && entry.Model == c.Model && entry.CodingAgent == c.codingAgent() {
		s.id, s.known = entry.SessionID, true
		return s, nil
	}
	s.id = c.newID(entry.SessionID)
	return s, nil
}

// newID is an id for a session that is not yet there, "" where the CLI makes
// one itself. The first of an agent is that of the request, which its
// environment names; another one is derived from the one that it follows.
func (c *conversation) newID(last string) string {
	if c.adapter.mints {
		return ""
	}
	if last == "" {
		return c.req.AgentSession()
	}
	return stages.SessionID(last + "/" + c.req.AgentSession())
}

// remember records the session as soon as its id is known, so that a run that
// is cut off can be joined again.
func (c *conversation) remember(id string) error {
	c.session.id, c.session.known = id, true
	return c.session.store.Store(stages.AgentSession{SessionID: id, Model: c.Model, CodingAgent: c.codingAgent()})
}

// forget begins a fresh session, in place of one that the CLI does not know.
func (c *conversation) forget() {
	c.session.id, c.session.known = c.newID(c.session.id), false
}

// sessionDir is the folder of the whole session, "" if nothing is recorded.
func (c *conversation) sessionDir() string {
	if c.req.AgentDir == "" {
		return ""
	}
	return filepath.Dir(c.req.AgentDir)
}

// inAgentDir is a path in the agent's folder of the session.
func (c *conversation) inAgentDir(name string) string {
	if c.req.AgentDir == "" {
		return ""
	}
	return filepath.Join(c.req.AgentDir, name)
}
