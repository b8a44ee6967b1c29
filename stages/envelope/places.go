package envelope

import "path/filepath"

// places are the folders that artifacts may lie in.
type places struct {
	spelled  []string // the workspace, the folder for handoffs, the session's folder
	resolved []string // the same without symlinks
}

func placesOf(f Facts) places {
	p := places{spelled: []string{f.Workspace}}
	for _, dir := range []string{f.HandoffDir, f.SessionDir} {
		if dir != "" {
			p.spelled = append(p.spelled, dir)
		}
	}
	for _, dir := range p.spelled {
		if end, err := filepath.EvalSymlinks(dir); err == nil {
			p.resolved = append(p.resolved, end)
		}
	}
	return p
}

// hold reports whether a path lies in one of them as it is spelled. It may be
// spelled by what a symlink above the folder leads to.
func (p places) hold(path string) bool {
	return anyUnder(p.spelled, path) || anyUnder(p.resolved, path)
}

// reallyHold is hold for a path without symlinks in it.
func (p places) reallyHold(path string) bool { return anyUnder(p.resolved, path) }

func anyUnder(roots []string, path string) bool {
	for _, root := range roots {
		if under(root, path) {
			return true
		}
	}
	return false
}

func under(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}
