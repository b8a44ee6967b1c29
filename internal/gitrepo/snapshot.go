package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/taskpipeline/pipeline/internal/crash"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// progressLimit bounds a progress.md that is kept outside the repository.
const progressLimit = 1 << 20

// Snapshot scans a TASK's workspace once and records it as a tree object. The
// tree is exactly what lies there, progress.md and result.md included; Changes
// leaves those two out.
func (r *Repo) Snapshot(ctx context.Context, task tasks.ID, declare func([]stages.Change) []byte) (stages.Snapshot, error) {
	snap, err := r.snapshot(ctx, string(task), declare)
	var fault *stages.Fault
	if err != nil && !errors.As(err, &fault) {
		return snap, r.orLost(string(task), fmt.Errorf("snapshot of %s: %w", task, err))
	}
	return snap, err
}

func (r *Repo) snapshot(ctx context.Context, task string, declare func([]stages.Change) []byte) (stages.Snapshot, error) {
	defer crash.Around("snapshot")()
	var none stages.Snapshot
	s := r.held(task)
	if s == nil {
		return none, lost("the workspace of %s is gone", task)
	}
	if err := r.intact(s); err != nil {
		return none, err
	}
	now, err := r.scanTree(ctx, s)
	if err != nil {
		return none, err
	}
	own := r.paths(tasks.ID(task))
	progress, result := own.ProgressPath, own.ResultPath
	file := filepath.Join(s.dir, filepath.FromSlash(progress))
	if r.outside {
		file = own.Progress
	}
	snap := stages.Snapshot{}
	for _, d := range now.changes {
		if d.path != progress && d.path != result {
			snap.Changes = append(snap.Changes, d.change())
		}
	}
	if _, err := os.Lstat(file); declare != nil && os.IsNotExist(err) {
		if text := declare(snap.Changes); text != nil {
			if now.tree, err = r.declare(now.tree, file, progress, text); err != nil {
				return none, err
			}
		}
	}
	snap.Tree = stages.Hash(now.tree.String())
	if snap.Progress, err = r.progressBlob(now.tree, file, progress); err != nil {
		return none, err
	}
	if err := r.pin(task, pinTree, snap.Tree); err != nil {
		return none, err
	}
	if r.outside {
		return snap, r.pin(task, pinProgress, snap.Progress)
	}
	return snap, nil
}

// declare writes progress.md for a builder that has no words of its own.
func (r *Repo) declare(tree plumbing.Hash, file, path string, text []byte) (plumbing.Hash, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return tree, err
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return tree, err
	}
	if path == "" {
		return tree, nil
	}
	blob, err := r.objects.put(plumbing.BlobObject, text)
	if err != nil {
		return tree, err
	}
	return r.objects.edit(tree, map[string]leaf{path: {mode: modeFile, hash: blob}})
}

// progressBlob is the blob of progress.md, "" if there is none. One that is a
// symlink or anything else but a file counts as none.
func (r *Repo) progressBlob(tree plumbing.Hash, file, path string) (stages.Hash, error) {
	if path != "" {
		l, err := r.objects.lookup(tree, path)
		if err != nil || l.mode != modeFile && l.mode != modeExec {
			return "", err
		}
		return stages.Hash(l.hash.String()), nil
	}
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return "", ignoreMissing(err)
	}
	f, err := os.Open(file)
	if err != nil {
		return "", stages.Faultf("progress.md cannot be read: %v", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, progressLimit+1))
	if err != nil {
		return "", stages.Faultf("progress.md cannot be read: %v", err)
	}
	if len(b) > progressLimit {
		return "", stages.Faultf("progress.md is larger than %d bytes: %s", progressLimit, file)
	}
	h, err := r.objects.put(plumbing.BlobObject, b)
	return stages.Hash(h.String()), err
}

// state is what lies in a slot.
type state struct {
	tree    plumbing.Hash
	changes []delta // against base
}

// scanTree is the one scan: git finds what differs from HEAD with the index's
// stat cache, and only that is hashed.
func (r *Repo) scanTree(ctx context.Context, s *slot) (state, error) {
	defer crash.Around("scan")()
	out, err := s.git.run(ctx, "status", "--porcelain=v2", "--branch", "--no-ahead-behind", "-z",
		"--untracked-files=all", "--no-renames", "--ignore-submodules=none")
	if err != nil {
		return state{}, err
	}
	found, err := parseStatus(out)
	if err != nil {
		return state{}, err
	}
	if found.head != s.base {
		return state{}, stages.Faultf("agent committed: %.7s..%.7s", s.base, found.head)
	}
	base, err := r.objects.treeOf(stages.Hash(s.base))
	if err != nil {
		return state{}, err
	}
	files := found.files[:0]
	for _, f := range found.files {
		if f.submodule {
			return state{}, stages.Faultf("the submodule %s was changed: a TASK cannot commit that", f.path)
		}
		if f.nested {
			return state{}, stages.Faultf("%s is a git repository of its own: a TASK cannot commit that", f.path)
		}
		if f.untracked && r.isLink(s, f.path) {
			continue
		}
		files = append(files, f)
	}
	edits, err := r.hashFiles(ctx, s, base, files)
	if err != nil {
		return state{}, err
	}
	tree, err := r.objects.edit(base, edits)
	if err != nil {
		return state{}, err
	}
	changes, err := r.objects.diff(base, tree)
	return state{tree: tree, changes: changes}, err
}
