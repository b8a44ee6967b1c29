package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taskpipeline/pipeline/internal/gitrepo"
	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/scheduler"
)

// project is a repository with its sessions.
type project struct {
	repo  *gitrepo.Reader
	store session.Store
}

// project finds the repository around the working directory.
func (p *Process) project(ctx context.Context) (*project, error) {
	repo, err := gitrepo.Find(ctx, p.Dir)
	if err != nil {
		return nil, refusal(err)
	}
	return &project{repo: repo, store: session.At(repo.Root())}, nil
}

// refusal makes a fault of what stands in the way of building in a repository.
func refusal(err error) error {
	if r := (*gitrepo.Refusal)(nil); errors.As(err, &r) {
		f := faultf(errUsage, "%s", r.What)
		f.next = r.Next
		return f
	}
	return err
}

// pick finds the session that a verb is about: the one that was named, by a
// unique prefix, else the one that is live, else the latest.
func (pr *project) pick(named string) (*session.Session, error) {
	if named != "" {
		s, err := pr.store.Find(named)
		return s, sessionFault(err)
	}
	if holder, live, err := session.Held(pr.repo.CommonDir()); err == nil && live && holder.Session != "" {
		if s, err := pr.store.Open(holder.Session); err == nil {
			return s, nil
		}
	}
	all, err := pr.store.List()
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, faultf(errNothing, "there is no session in %s yet", pr.repo.Root()).then("pipeline run")
	}
	return pr.store.Open(all[0].ID)
}

// toActOn is pick for a verb that changes a session: with several that are not
// done, one has to be named.
func (pr *project) toActOn(named string) (*session.Session, error) {
	if _, live, err := session.Held(pr.repo.CommonDir()); named != "" || err != nil || live {
		return pr.pick(named)
	}
	open, err := pr.notDone("")
	if err != nil {
		return nil, err
	}
	if len(open) > 1 {
		return nil, severalOpen(open)
	}
	if len(open) == 1 {
		return pr.store.Open(open[0].ID)
	}
	return pr.pick("")
}

// severalOpen names the sessions of which one has to be chosen.
func severalOpen(open []session.Summary) error {
	var lines []string
	for _, s := range open {
		lines = append(lines, fmt.Sprintf("%s of %s", s.ID, s.Folder))
	}
	return faultf(errAmbiguous, "several sessions are not done: %s", strings.Join(lines, ", ")).then("choose one with --session %s", open[0].ID)
}

// notDone are the sessions that can be gone on with, of one folder or of all.
func (pr *project) notDone(folder string) ([]session.Summary, error) {
	all, err := pr.store.List()
	if err != nil {
		return nil, err
	}
	var open []session.Summary
	for _, s := range all {
		if s.State == session.Broken {
			return nil, faultf(errIntegrity, "session %s: %s", s.ID, s.Problem).then("pipeline check %s", s.ID)
		}
		unfinished := s.State == session.Open || s.State == session.Finished && s.Verdict != string(scheduler.AllDone)
		if unfinished && (folder == "" || s.Folder == folder) {
			open = append(open, s)
		}
	}
	return open, nil
}

// sessionFault gives an error of the store its kind.
func sessionFault(err error) error {
	var (
		many *session.AmbiguousError
		none *session.NotFoundError
		id   *session.IDError
		held *session.LockedError
	)
	switch {
	case errors.As(err, &many):
		return faultf(errAmbiguous, "%v", err).then("pipeline sessions")
	case errors.As(err, &none):
		return faultf(errNothing, "%v", err).then("pipeline sessions")
	case errors.As(err, &id):
		return faultf(errUsage, "%v", err)
	case errors.As(err, &held):
		return faultf(errLocked, "%v", err).then("pipeline status")
	}
	return err
}
