package mirror

import (
	"errors"
	"fmt"
	"maps"

	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/stages"
)

// agentSessions takes over agent_map.json, which no event holds.
func (f *fold) agentSessions(s *session.Session) (problem string) {
	all, err := s.Agents()
	if bad := (*session.AgentMapError)(nil); errors.As(err, &bad) {
		problem = fmt.Sprintf("agent_map.json: %v: no agent sessions", bad.Err)
	}
	there := map[string]stages.AgentSession{}
	f.w.each(func(scan func(...any)) {
		var agent, id, model, program str
		scan(&agent, &id, &model, &program)
		there[string(agent)] = stages.AgentSession{SessionID: string(id), Model: string(model), CodingAgent: string(program)}
	}, "SELECT agent, session_id, model, coding_agent FROM agent_sessions WHERE session = ?", s.ID)
	if maps.Equal(all, there) {
		return problem
	}
	f.changed = true
	f.w.exec("DELETE FROM agent_sessions WHERE session = ?", s.ID)
	for name, entry := range all {
		f.w.put("agent_sessions", s.ID, name, entry.SessionID, orNull(entry.Model), entry.CodingAgent)
	}
	return problem
}
