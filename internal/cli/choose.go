package cli

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/taskpipeline/pipeline/internal/config"
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
	open, err := b.project.notDone(folder)
	switch {
	case err != nil:
		return err
	case len(open) == 0 && b.o.Join:
		return faultf(errNothing, "there is no session to go on with: all are done").then("pipeline run")
	case len(open) == 0:
		return nil
	case len(open) > 1:
		return severalOpen(open)
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
	if b.o.Join {
		return b.keepAsked()
	}
	return nil
}

// keepAsked makes a session that is gone on with go by what was asked for when
// it was last begun, but for what is asked for now.
func (b *build) keepAsked() error {
	events, err := b.session.Read()
	if err != nil {
		return faultf(errIntegrity, "%v", err)
	}
	i := len(events) - 1
	for ; i >= 0 && events[i].Type != scheduler.RunStarted && events[i].Type != scheduler.RunJoined; i-- {
	}
	if i < 0 {
		return nil
	}
	typed := map[string]bool{}
	for _, flag := range b.o.Flags {
		typed[flag.Key] = true
	}
	for key, value := range events[i].Flags {
		if !typed[key] {
			b.o.Flags = append(b.o.Flags, config.Flag{Key: key, Name: "session " + b.session.ID, Value: value})
		}
	}
	if was := events[i].Config; was != nil && !b.o.KeepOn && !b.o.FailFast {
		b.o.KeepOn, b.o.FailFast = was.KeepGoing, was.FailFast
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
