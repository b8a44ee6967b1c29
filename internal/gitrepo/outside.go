package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/taskpipeline/pipeline/internal/crash"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// keepOutside writes the files of a candidate that are not committed where
// they wait for its landing.
func (r *Repo) keepOutside(c stages.Candidate) error {
	defer crash.Around("outside keep")()
	for name, content := range c.Outside {
		if name != filepath.Base(name) || !filepath.IsLocal(name) {
			return fmt.Errorf("%q is not the name of a file", name)
		}
		if r.cfg.OutsideDir == "" {
			return fmt.Errorf("there is no place to keep %s until it lands", name)
		}
		if err := os.MkdirAll(r.cfg.OutsideDir, 0o755); err != nil {
			return err
		}
		if err := renameio.WriteFile(filepath.Join(r.cfg.OutsideDir, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// deliverOutside copies a landed TASK's two files to the tasks folder.
func (r *Repo) deliverOutside(task string) error {
	if !r.outside || r.cfg.OutsideDir == "" || r.cfg.TasksDir == "" {
		return nil
	}
	// result.md is what says DONE: it comes last.
	for _, name := range []string{tasks.ID(task).ProgressFile(), tasks.ID(task).ResultFile()} {
		from, to := filepath.Join(r.cfg.OutsideDir, name), filepath.Join(r.cfg.TasksDir, name)
		content, err := os.ReadFile(from)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return err
		}
		if there, err := os.ReadFile(to); err == nil && bytes.Equal(there, content) {
			continue
		}
		crash.At("before outside deliver")
		if err := deliver(to, content); err != nil {
			return fmt.Errorf("copying %s to the tasks folder: %w", name, err)
		}
		crash.At("after outside deliver")
	}
	return nil
}

// deliver replaces a file of the user's tasks folder, whole. Its temporary name
// is the same each time, so that nothing of a delivery that was killed is left
// when it has been made up for.
func deliver(to string, content []byte) error {
	tmp := filepath.Join(filepath.Dir(to), "."+filepath.Base(to)+".new")
	if err := ignoreMissing(os.Remove(tmp)); err != nil {
		return err
	}
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	crash.At("between write and rename of delivery")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return os.Rename(tmp, to)
}

// deliverLanded does so for every TASK of the session that has landed: a run
// may have been killed between the branch and the copy.
func (r *Repo) deliverLanded(ctx context.Context) error {
	if !r.outside || r.cfg.OutsideDir == "" {
		return nil
	}
	kept, err := r.Kept(ctx, r.cfg.Session)
	if err != nil || len(kept) == 0 {
		return err
	}
	tip, err := r.Tip(ctx)
	if err != nil {
		return err
	}
	landed, err := r.Commits(ctx, "", tip)
	if err != nil {
		return err
	}
	for task, h := range kept {
		if landed[h] {
			if err := r.deliverOutside(task); err != nil {
				return err
			}
		}
	}
	return nil
}
