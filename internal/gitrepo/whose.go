package gitrepo

import (
	"path/filepath"

	"github.com/taskpipeline/pipeline/tasks"
)

// WorkspaceOf is the absolute path of the worktree that a session keeps for a
// TASK, "" if there is none.
func (r *Reader) WorkspaceOf(session string, task tasks.ID) (string, error) {
	dirs, err := filepath.Glob(filepath.Join(r.common, "pipeline", "worktrees", session, "slot-*"))
	if err != nil {
		return "", err
	}
	for _, dir := range dirs {
		admin, err := adminDir(dir)
		if err != nil {
			continue // half made
		}
		if m, ok := readMark(filepath.Join(admin, "pipeline")); ok && m.session == session && m.task == string(task) {
			return dir, nil
		}
	}
	return "", nil
}
