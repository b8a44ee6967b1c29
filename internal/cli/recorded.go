package cli

import (
	"context"

	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/internal/view"
	"github.com/taskpipeline/pipeline/tasks"
)

// recorded is a session as its record tells it. Reading it takes no lock.
type recorded struct {
	*view.Record
	project *project
	session *session.Session
}

// recorded reads the session that a verb is about.
func (p *Process) recorded(ctx context.Context, named string) (*recorded, error) {
	pr, err := p.project(ctx)
	if err != nil {
		return nil, err
	}
	s, err := pr.pick(named)
	if err != nil {
		return nil, err
	}
	events, err := s.Read()
	if err != nil {
		return nil, faultf(errIntegrity, "%v", err)
	}
	if len(events) == 0 {
		return nil, faultf(errNothing, "session %s holds nothing yet", s.ID).then("pipeline run --session %s", s.ID)
	}
	record, err := view.Fold(nil, events)
	if err != nil {
		return nil, faultf(errIntegrity, "%s: %v", p.typed(s.EventsFile()), err).then("pipeline check %s", s.ID)
	}
	holder, live, err := session.Held(pr.repo.CommonDir())
	record.Live = err == nil && live && holder.Session == s.ID
	return &recorded{Record: record, project: pr, session: s}, nil
}

// recordedTask is recorded for a verb that is about one TASK of the session.
func (p *Process) recordedTask(ctx context.Context, named, typed string) (*recorded, tasks.ID, error) {
	r, err := p.recorded(ctx, named)
	if err != nil {
		return nil, "", err
	}
	id, err := taskOf(r.Plan.Graph(), typed)
	return r, id, err
}
