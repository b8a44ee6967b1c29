package gitrepo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/taskpipeline/pipeline/internal/crash"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// Open brings a TASK's workspace into the state that the lease asks for.
func (r *Repo) Open(ctx context.Context, l stages.Lease) (stages.Workspace, error) {
	task := string(l.Task)
	ws, err := r.open(ctx, l)
	if _, fault := err.(*stages.Fault); err != nil && !fault {
		err = r.orLost(task, fmt.Errorf("workspace of %s: %w", task, err))
	}
	return ws, err
}

func (r *Repo) open(ctx context.Context, l stages.Lease) (stages.Workspace, error) {
	defer crash.Around("workspace open")()
	ws := r.paths(l.Task)
	if ws.Progress == "" && r.outside {
		return ws, fmt.Errorf("the tasks folder %s is not committed and there is no other place for progress.md", r.cfg.TasksDir)
	}
	var s *slot
	var err error
	switch l.Mode {
	case stages.Keep:
		s, err = r.keep(ctx, l)
	case stages.Exact:
		s, ws.Undone, err = r.exact(ctx, l)
	case stages.Carry:
		if ws.Undone, err = r.setAside(ctx, l); err != nil {
			return ws, err
		}
		s, ws.EarlierDiff, err = r.carry(ctx, l)
	default:
		s, err = r.fresh(ctx, l)
	}
	if err != nil {
		return ws, err
	}
	ws = r.in(s, ws)
	if err := os.MkdirAll(filepath.Dir(ws.Progress), 0o755); err != nil {
		return ws, err
	}
	if r.cfg.Isolation == None {
		return ws, nil
	}
	return ws, r.linkShared(s)
}

// Where names a TASK's paths without touching the disk; Dir is "" while the
// TASK has no workspace.
func (r *Repo) Where(task tasks.ID) stages.Workspace {
	ws := r.paths(task)
	if s := r.held(string(task)); s != nil {
		ws = r.in(s, ws)
	}
	return ws
}

// paths are those places of a TASK that do not depend on its slot.
func (r *Repo) paths(task tasks.ID) stages.Workspace {
	progress, result := task.ProgressFile(), task.ResultFile()
	if !r.outside {
		return stages.Workspace{ProgressPath: r.inTasks(progress), ResultPath: r.inTasks(result)}
	}
	if r.cfg.OutsideDir == "" {
		return stages.Workspace{}
	}
	return stages.Workspace{Progress: filepath.Join(r.cfg.OutsideDir, progress)}
}

// in fills in the places that lie in the slot.
func (r *Repo) in(s *slot, ws stages.Workspace) stages.Workspace {
	ws.Dir = s.dir
	if ws.ProgressPath != "" {
		ws.Progress = filepath.Join(s.dir, filepath.FromSlash(ws.ProgressPath))
	}
	return ws
}

// keep opens what the last attempt left.
func (r *Repo) keep(ctx context.Context, l stages.Lease) (*slot, error) {
	s := r.held(string(l.Task))
	if s == nil {
		return nil, lost("the workspace of %s is gone", l.Task)
	}
	if err := r.intact(s); err != nil {
		return nil, err
	}
	return s, r.mend(ctx, s, string(l.Base))
}

// fresh opens the base itself.
func (r *Repo) fresh(ctx context.Context, l stages.Lease) (*slot, error) {
	tree, err := r.objects.treeOf(l.Base)
	if err != nil {
		return nil, err
	}
	if tree, err = r.withoutRecords(tree, l.Task); err != nil {
		return nil, err
	}
	s, err := r.take(ctx, string(l.Task))
	if err != nil {
		return nil, err
	}
	return s, r.move(ctx, s, string(l.Base), tree)
}

// exact opens a tree. Where the TASK's workspace stood on the same base
// already, undone lists the paths that differed.
func (r *Repo) exact(ctx context.Context, l stages.Lease) (_ *slot, undone []string, _ error) {
	tree, err := r.objects.treeOf(l.Tree)
	if err != nil {
		return nil, nil, err
	}
	if s := r.held(string(l.Task)); s != nil && s.base == string(l.Base) && r.intact(s) == nil {
		if err := r.mend(ctx, s, s.base); err != nil {
			return nil, nil, err
		}
		now, err := r.scanTree(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		deltas, err := r.objects.diff(now.tree, tree)
		if err != nil || len(deltas) == 0 {
			return s, nil, err
		}
		for _, d := range deltas {
			undone = append(undone, d.path)
		}
	}
	s, err := r.take(ctx, string(l.Task))
	if err != nil {
		return nil, nil, err
	}
	return s, undone, r.move(ctx, s, string(l.Base), tree)
}

// setAside keeps what lies in a TASK's workspace beside what is carried over:
// somebody may have put it there by hand. The paths are those that differ.
func (r *Repo) setAside(ctx context.Context, l stages.Lease) (paths []string, _ error) {
	s := r.held(string(l.Task))
	if l.From == "" || s == nil || s.base != string(l.FromBase) || r.intact(s) != nil {
		return nil, nil
	}
	from, err := r.objects.treeOf(l.From)
	if err != nil {
		return nil, err
	}
	if err := r.mend(ctx, s, s.base); err != nil {
		return nil, err
	}
	now, err := r.scanTree(ctx, s)
	if err != nil {
		return nil, err
	}
	deltas, err := r.objects.diff(now.tree, from)
	if err != nil {
		return nil, err
	}
	own := r.paths(l.Task)
	for _, d := range deltas {
		if d.path != own.ResultPath { // a candidate has it, a workspace has not
			paths = append(paths, d.path)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	return paths, r.pin(string(l.Task), pinLeft, stages.Hash(now.tree.String()))
}

// carry opens the base with an earlier attempt's changes; diff is the file
// that holds all of them.
func (r *Repo) carry(ctx context.Context, l stages.Lease) (_ *slot, diff string, _ error) {
	fromBase, err := r.objects.treeOf(l.FromBase)
	if err != nil {
		return nil, "", err
	}
	var from plumbing.Hash
	if l.From == "" {
		s, err := r.keep(ctx, stages.Lease{Task: l.Task, Base: l.FromBase})
		if err != nil {
			return nil, "", err
		}
		now, err := r.scanTree(ctx, s)
		if err != nil {
			return nil, "", err
		}
		from = now.tree
	} else if from, err = r.objects.treeOf(l.From); err != nil {
		return nil, "", err
	}
	base, err := r.objects.treeOf(l.Base)
	if err != nil {
		return nil, "", err
	}
	tree, err := r.objects.carried(fromBase, from, base)
	if err != nil {
		return nil, "", err
	}
	if tree, err = r.withoutRecords(tree, l.Task); err != nil {
		return nil, "", err
	}
	text, err := r.Diff(ctx, stages.Hash(fromBase.String()), stages.Hash(from.String()))
	if err != nil {
		return nil, "", err
	}
	diff = r.diffFile(string(l.Task))
	if err := replace(diff, string(text)); err != nil {
		return nil, "", err
	}
	s, err := r.take(ctx, string(l.Task))
	if err != nil {
		return nil, "", err
	}
	return s, diff, r.move(ctx, s, string(l.Base), tree)
}

// withoutRecords takes a TASK's old progress.md and result.md out of a tree,
// or from the place where they are kept.
func (r *Repo) withoutRecords(tree plumbing.Hash, task tasks.ID) (plumbing.Hash, error) {
	ws := r.paths(task)
	if r.outside {
		return tree, ignoreMissing(os.Remove(ws.Progress))
	}
	return r.objects.edit(tree, map[string]leaf{ws.ProgressPath: {}, ws.ResultPath: {}})
}

// move brings a slot to a tree and runs what has to run in a new one.
func (r *Repo) move(ctx context.Context, s *slot, base string, tree plumbing.Hash) error {
	if err := r.doubtPrepared(ctx, s); err != nil {
		return err
	}
	if err := r.stand(ctx, s, base, tree); err != nil {
		return err
	}
	ran, err := r.prepare(ctx, s, tree)
	if err != nil || !ran {
		return err
	}
	// What prepare did to files that are not ignored is not the TASK's work.
	return r.stand(ctx, s, base, tree)
}

// diffFile lies outside the workspace, where no scan takes it for a change.
func (r *Repo) diffFile(task string) string {
	return filepath.Join(r.pipelineDir(), "diffs", r.cfg.Session, task+".diff")
}
