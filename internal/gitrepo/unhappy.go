package gitrepo

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// checkFormat refuses what go-git cannot read, by the name of the extension.
func (r *Reader) checkFormat(s settings) error {
	const next = "work in a plain clone: `git clone --no-local %s`"
	hint := strings.Replace(next, "%s", r.root, 1)
	for key := range s {
		switch {
		case key == "extensions.objectformat" && strings.EqualFold(s[key], "sha1"),
			key == "extensions.refstorage" && strings.EqualFold(s[key], "files"),
			key == "extensions.noop", key == "extensions.noop-v1":
		case key == "extensions.worktreeconfig":
			if s.on(key, true) {
				return refuse("turn it off with `git config --unset extensions.worktreeConfig` after moving what `git config --worktree --list` shows",
					"%s uses extensions.worktreeConfig, which cannot be read here", r.root)
			}
		case strings.HasPrefix(key, "extensions."):
			return refuse(hint, "%s uses %s=%s, which cannot be read here", r.root, key, s[key])
		case strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".partialclonefilter"),
			strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".promisor") && s.on(key, true):
			return refuse("fetch everything into a plain clone of the remote", "%s is a partial clone (%s): objects may be missing", r.root, key)
		}
	}
	if shared, _ := filepath.Glob(filepath.Join(r.gitDir, "sharedindex.*")); len(shared) > 0 || s.on("core.splitindex", false) {
		return refuse("join it with `git config core.splitIndex false` and `git update-index --no-split-index`",
			"%s has a split index (core.splitIndex), which cannot be read here", r.root)
	}
	return nil
}

// checkQuiet refuses a checkout in the middle of something.
func (r *Reader) checkQuiet() error {
	for _, state := range []struct{ file, what, end string }{
		{"MERGE_HEAD", "a merge", "git merge --continue` or `git merge --abort"},
		{"rebase-merge", "a rebase", "git rebase --continue` or `git rebase --abort"},
		{"rebase-apply", "a rebase or `git am`", "git rebase --abort` or `git am --abort"},
		{"CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick --continue` or `git cherry-pick --abort"},
		{"REVERT_HEAD", "a revert", "git revert --continue` or `git revert --abort"},
		{"BISECT_LOG", "a bisect", "git bisect reset"},
	} {
		if _, err := os.Lstat(filepath.Join(r.gitDir, state.file)); err == nil {
			return refuse("end it with `"+state.end+"`", "%s is in progress in %s", state.what, r.root)
		}
	}
	return nil
}

// checkElsewhere refuses a branch that another worktree has checked out: its
// files would fall behind without anybody noticing.
func (r *Reader) checkElsewhere(ref string) error {
	dirs, err := filepath.Glob(filepath.Join(r.common, "worktrees", "*"))
	if err != nil {
		return err
	}
	for _, dir := range append(dirs, r.common) {
		if dir == r.gitDir {
			continue
		}
		head, err := os.ReadFile(filepath.Join(dir, "HEAD"))
		if err != nil || strings.TrimSpace(string(head)) != "ref: "+ref {
			continue
		}
		where := filepath.Dir(r.common)
		if back, err := os.ReadFile(filepath.Join(dir, "gitdir")); err == nil {
			where = filepath.Dir(strings.TrimSpace(string(back)))
			if below(where, filepath.Join(r.pipelineDir(), "worktrees")) {
				continue // a workspace of a TASK, whose HEAD is put right
			}
			if _, err := os.Lstat(where); err != nil {
				continue // only its record is left
			}
		}
		return refuse("run there, or choose another --branch",
			"the branch %s is checked out in another worktree, %s", strings.TrimPrefix(ref, heads), where)
	}
	return nil
}

// checkSubmodules refuses submodules with changes: they cannot be part of a TASK.
func (r *Reader) checkSubmodules(ctx context.Context) error {
	if _, err := os.Lstat(filepath.Join(r.root, ".gitmodules")); err != nil {
		return nil
	}
	out, err := r.git.run(ctx, "status", "--porcelain=v2", "-z", "-uno", "--no-renames", "--ignore-submodules=none")
	if err != nil {
		return err
	}
	dirty, err := parseStatus(out)
	if err != nil {
		return err
	}
	for _, f := range dirty.files {
		if f.submodule {
			return refuse("commit or undo them there first", "the submodule %s of %s has changes", f.path, r.root)
		}
	}
	return nil
}

// checkClean refuses a checkout that holds anything uncommitted.
func (r *Reader) checkClean(ctx context.Context) error {
	out, err := r.git.run(ctx, "status", "--porcelain=v2", "-z", "-uall", "--no-renames")
	if err != nil {
		return err
	}
	found, err := parseStatus(out)
	if err != nil {
		return err
	}
	// The first run of all may have been killed before its folder ignored itself.
	files := slices.DeleteFunc(found.files, func(f dirty) bool { return f.untracked && below(f.path, ".pipeline") })
	if len(files) == 0 {
		return nil
	}
	var names bytes.Buffer
	for i, f := range files {
		if i == 5 {
			names.WriteString(", …")
			break
		}
		if i > 0 {
			names.WriteString(", ")
		}
		names.WriteString(f.path)
	}
	return refuse("commit them or use --isolation worktree",
		"isolation none works in the checkout itself, and %s has uncommitted files: %s", r.root, names.String())
}
