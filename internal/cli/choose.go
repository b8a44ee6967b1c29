package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/scheduler"
)

// choose finds the session to go on with: the one that was named, else the one
// of this folder, or of any if none was typed, that is not done. Without one,
// b.session stays nil and a new one is made.
func (b *build) choose(ctx context.Context) error {
	folder, err := b.typedFolder(ctx)
	if err != nil {
		return err
	}
	if b.o.Session != "" {
		s, err := b.project.store.Open(b.o.Session)
		if b.o.Join {
			s, err = b.project.store.Find(b.o.Session)
		}
		var none *session.NotFoundError
		if errors.As(err, &none) && !b.o.Join {
			return nil
		}
		if err != nil {
			return sessionFault(err)
		}
		return b.join(s, folder)
	}
	open, err := b.notDone(folder)
	switch {
	case err != nil:
		return err
	case len(open) == 0 && b.o.Join:
		return faultf(errNothing, "there is no session to go on with: all are done").then("pipeline run")
	case len(open) == 0:
		return nil
	case len(open) > 1:
		var lines []string
		for _, s := range open {
			lines = append(lines, fmt.Sprintf("%s of %s", s.ID, s.Folder))
		}
		return faultf(errAmbiguous, "several sessions are not done: %s", strings.Join(lines, ", ")).then("pipeline resume %s", open[0].ID)
	}
	s, err := b.project.store.Open(open[0].ID)
	if err != nil {
		return sessionFault(err)
	}
	return b.join(s, folder)
}

// typedFolder is the folder that was typed, as records name it; "" for none.
func (b *build) typedFolder(ctx context.Context) (string, error) {
	if b.o.Dir == "" {
		return "", nil
	}
	dir := b.p.path(b.o.Dir)
	if _, err := filepath.EvalSymlinks(dir); err != nil {
		return dir, nil // no such folder: whoever reads it says so
	}
	inRepo, _, err := b.project.repo.TasksPath(ctx, dir)
	if inRepo == "" {
		inRepo = dir
	}
	return inRepo, err
}

// notDone are the sessions that can be gone on with, of one folder or of all.
func (b *build) notDone(folder string) ([]session.Summary, error) {
	all, err := b.project.store.List()
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

// join takes over the tasks folder and the target branch of a session.
func (b *build) join(s *session.Session, folder string) error {
	sum := s.Summary()
	switch {
	case sum.State == session.Broken:
		return faultf(errIntegrity, "session %s: %s", sum.ID, sum.Problem)
	case folder != "" && sum.Folder != "" && folder != sum.Folder:
		return faultf(errUsage, "session %s is of the folder %s, not of %s", sum.ID, sum.Folder, folder).then("pipeline run %s", b.o.Dir)
	}
	b.session, b.joined = s, sum.Branch
	if b.o.Dir == "" && sum.Folder != "" {
		b.o.Dir = sum.Folder
		if !filepath.IsAbs(sum.Folder) {
			b.o.Dir = filepath.Join(b.project.repo.Root(), filepath.FromSlash(sum.Folder))
		}
	}
	return nil
}

// keepBranch makes a joined session land where it began to, whatever is checked
// out now.
func (b *build) keepBranch() error {
	c := &b.folder.Config
	if b.joined == "" {
		return nil
	}
	if c.Branch != "" && c.Branch != b.joined {
		return faultf(errUsage, "session %s lands on %s; it cannot go on landing on %s", b.session.ID, b.joined, c.Branch).
			then("pipeline resume %s, or finish it first", b.session.ID)
	}
	c.Branch = b.joined
	return nil
}
