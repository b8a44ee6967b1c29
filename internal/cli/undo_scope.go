package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/taskpipeline/pipeline/internal/session"
	"github.com/taskpipeline/pipeline/scheduler"
	"github.com/taskpipeline/pipeline/tasks"
)

// undoScope is what an undo is about, and where.
type undoScope struct {
	project *project
	task    tasks.ID // "" for all TASKs of the session
	session string   // "" for any
	branch  string
	folder  string // of the TASKs, in the repository; "" for its root
	graph   *tasks.Graph
}

// undoScope finds out whether the argument is a TASK or a session. What looks
// like a TASK is one.
func (p *Process) undoScope(ctx context.Context, pr *project, o undoOptions) (*undoScope, error) {
	s := &undoScope{project: pr}
	id, isTask := typedID(o.What)
	if isTask {
		s.task = id
	}
	switch {
	case isTask && o.Session == "":
		return s, s.inFolder(ctx, p)
	case !isTask && o.Session != "":
		return nil, faultf(errUsage, "--session says where a TASK landed, and %q is not a TASK's id", o.What).then("pipeline undo %s", o.Session)
	}
	named := o.What
	if isTask {
		named = o.Session
	}
	found, err := pr.store.Find(named)
	if none := (*session.NotFoundError)(nil); errors.As(err, &none) && !isTask {
		return nil, faultf(errNothing, "%q is neither a TASK's id, such as TASK-03, nor the start of a session's id", o.What).then("pipeline sessions")
	}
	if err != nil {
		return nil, sessionFault(err)
	}
	return s, s.inSession(ctx, p, found)
}

// inFolder is about the tasks folder and the branch that a run would take.
func (s *undoScope) inFolder(ctx context.Context, p *Process) error {
	f, err := p.sound("")
	if err != nil {
		return err
	}
	s.graph, s.branch = f.Graph, f.Config.Branch
	if s.branch == "" {
		if _, s.branch, err = s.project.repo.Head(ctx); err != nil {
			return err
		}
	}
	return s.committed(ctx, f.Dir)
}

// inSession is about the folder and the branch of a session. Without the folder
// its record says what depends on what.
func (s *undoScope) inSession(ctx context.Context, p *Process, found *session.Session) error {
	sum := found.Summary()
	switch {
	case sum.State == session.Broken:
		return faultf(errIntegrity, "session %s: %s", sum.ID, sum.Problem).then("pipeline check %s", sum.ID)
	case sum.State == session.Empty:
		return faultf(errNothing, "session %s holds nothing yet", sum.ID).then("pipeline sessions")
	}
	s.session, s.branch = sum.ID, sum.Branch
	dir := sum.Folder
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.project.repo.Root(), filepath.FromSlash(dir))
	}
	if g, _, err := tasks.LoadDir(dir); err == nil && g != nil {
		s.graph = g
		return s.committed(ctx, dir)
	}
	events, err := found.Read()
	if err == nil {
		s.graph, err = scheduler.GraphOf(events)
	}
	if err != nil {
		return faultf(errIntegrity, "%v", err).then("pipeline check %s", sum.ID)
	}
	s.folder = below(sum.Folder)
	return nil
}

// committed sets the folder, and refuses one whose result.md no commit brings:
// reverting commits would leave its TASKs done.
func (s *undoScope) committed(ctx context.Context, dir string) error {
	path, committed, err := s.project.repo.TasksPath(ctx, dir)
	if err != nil {
		return err
	}
	if !committed {
		return faultf(errUsage, "progress.md and result.md of %s are not committed, so taking commits back would leave its TASKs done", dir).
			then("git revert the commit that `pipeline inspect TASK` names, then delete the TASK's result.md")
	}
	s.folder = below(path)
	return nil
}

// below is a folder's path as paths below it begin: "" for the root.
func below(folder string) string {
	if folder == "." {
		return ""
	}
	return folder
}

// elsewhere is the latest session of the folder on another branch, for an error's
// next line; "" if there is none.
func (s *undoScope) elsewhere() string {
	all, err := s.project.store.List()
	if err != nil {
		return ""
	}
	for _, sum := range all {
		if below(sum.Folder) == s.folder && sum.Branch != "" && sum.Branch != s.branch {
			return sum.ID
		}
	}
	return ""
}

// what is the scope as people read it.
func (s *undoScope) what() string {
	switch {
	case s.task == "":
		return "session " + s.session
	case s.session != "":
		return fmt.Sprintf("%s in session %s", s.task, s.session)
	}
	return string(s.task)
}
