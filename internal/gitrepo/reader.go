package gitrepo

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/taskpipeline/pipeline/internal/crash"
	"github.com/taskpipeline/pipeline/stages"
)

// Reader looks at a repository and changes nothing in it, but for the verbs
// that say so (CreateBranch, Clean). It is safe for concurrent use.
type Reader struct {
	root    string // of the checkout that was found, absolute, symlinks resolved
	common  string // git common dir, absolute
	gitDir  string // of the checkout: common, or common/worktrees/<id>
	git     command
	objects *objects
}

// Find opens the repository that dir lies in, for reading. A *Refusal says
// that there is none that can be read.
func Find(ctx context.Context, dir string) (*Reader, error) {
	if err := checkVersion(ctx); err != nil {
		return nil, err
	}
	git := command{dir: dir}
	out, err := git.line(ctx, "rev-parse", "--path-format=absolute", "--is-bare-repository", "--git-common-dir", "--git-dir")
	switch {
	case strings.Contains(complaint(err), "not a git repository"):
		return nil, refuse("make one with `git init`, or go to the directory of one", "%s is not in a git repository", dir)
	case complaint(err) != "":
		return nil, refuse("`git -C "+dir+" status` says the same", "git does not open the repository of %s: %s", dir, complaint(err))
	case err != nil:
		return nil, err
	}
	lines := strings.Split(out, "\n")
	if len(lines) != 3 {
		return nil, fmt.Errorf("git rev-parse in %s answered %q instead of three lines", dir, out)
	}
	r := &Reader{common: filepath.Clean(lines[1]), gitDir: filepath.Clean(lines[2])}
	if lines[0] == "true" {
		return nil, refuse("work in a clone of it: `git clone "+dir+"`", "%s is a bare repository: it has no files to build in", dir)
	}
	root, err := git.line(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, refuse("go to the directory of its files", "%s lies inside a .git directory", dir)
	}
	if r.root, err = filepath.EvalSymlinks(filepath.FromSlash(root)); err != nil {
		return nil, fmt.Errorf("the repository's root: %w", err)
	}
	r.git = command{dir: r.root, env: []string{"GIT_OPTIONAL_LOCKS=0"}}
	r.objects = openObjects(r.common)
	return r, nil
}

// Root is the absolute path of the checkout, symlinks resolved.
func (r *Reader) Root() string { return r.root }

// CommonDir is the absolute path of the git common directory, where the
// repository's lock and worktrees live.
func (r *Reader) CommonDir() string { return r.common }

// Head is the commit that is checked out, and its branch without
// "refs/heads/"; branch is "" when HEAD is detached, commit "" when there is
// no commit yet.
func (r *Reader) Head(ctx context.Context) (commit stages.Hash, branch string, err error) {
	ref, err := r.git.line(ctx, "symbolic-ref", "-q", "HEAD")
	if err != nil && !exited(err, 1) {
		return "", "", err
	}
	h, err := r.git.line(ctx, "rev-parse", "-q", "--verify", "HEAD^{commit}")
	if err != nil && !exited(err, 1) {
		return "", "", err
	}
	return stages.Hash(h), strings.TrimPrefix(ref, heads), nil
}

// BranchTip is the commit a branch points at, "" if there is no such branch.
func (r *Reader) BranchTip(branch string) (stages.Hash, error) {
	h, ok, err := r.objects.ref(heads + strings.TrimPrefix(branch, heads))
	if err != nil || !ok {
		return "", err
	}
	return stages.Hash(h.String()), nil
}

// CreateBranch makes a branch at HEAD, for a --branch that does not exist yet.
// A branch that exists is left alone.
func (r *Reader) CreateBranch(ctx context.Context, branch string) error {
	branch = strings.TrimPrefix(branch, heads)
	if _, err := r.git.run(ctx, "check-ref-format", "--branch", branch); err != nil {
		return refuse("choose another name", "%q is not a name for a branch", branch)
	}
	tip, err := r.BranchTip(branch)
	if err != nil || tip != "" {
		return err
	}
	defer crash.Around("branch create")()
	if _, err := r.git.run(context.WithoutCancel(ctx), "branch", "--no-track", branch, "HEAD"); err != nil {
		return refuse("`git branch "+branch+"` says the same", "the branch %s cannot be made: %s", branch, complaint(err))
	}
	return nil
}

// Read returns a file of a commit or a tree; ok is false if there is none.
func (r *Reader) Read(at stages.Hash, path string) (content []byte, ok bool, err error) {
	tree, err := r.objects.treeOf(at)
	if err != nil {
		return nil, false, err
	}
	l, err := r.objects.lookup(tree, path)
	if err != nil || l.mode == 0 || l.mode == modeDir || l.mode == modeGitlink {
		return nil, false, err
	}
	content, err = r.objects.content(plumbing.BlobObject, l.hash)
	return content, err == nil, err
}

// ReadDir returns the blobs of the files right inside a directory of a commit
// or a tree, by name. A directory that is not there has none.
func (r *Reader) ReadDir(at stages.Hash, dir string) (map[string]stages.Hash, error) {
	tree, err := r.objects.treeOf(at)
	if err != nil {
		return nil, err
	}
	l, err := r.objects.lookup(tree, dir)
	if err != nil || l.mode != modeDir {
		return nil, err
	}
	entries, err := r.objects.entries(l.hash)
	if err != nil {
		return nil, err
	}
	out := make(map[string]stages.Hash, len(entries))
	for _, e := range entries {
		if e.mode&0o170000 == 0o100000 {
			out[e.name] = stages.Hash(e.hash.String())
		}
	}
	return out, nil
}

// Blob returns the content of a blob, at most limit bytes of it.
func (r *Reader) Blob(h stages.Hash, limit int64) ([]byte, error) {
	return r.objects.prefix(plumbing.BlobObject, plumbing.NewHash(string(h)), max(limit, 0))
}

// File returns the content of a file of a tree, or the target of a symlink; nil
// if there is neither at that path.
func (r *Reader) File(tree stages.Hash, path string) ([]byte, error) {
	root, err := r.objects.treeOf(tree)
	if err != nil {
		return nil, err
	}
	l, err := r.objects.lookup(root, path)
	if err != nil || l.mode == 0 || l.mode == modeDir || l.mode == modeGitlink {
		return nil, err
	}
	return r.objects.content(plumbing.BlobObject, l.hash)
}

// Tree is the tree of a commit.
func (r *Reader) Tree(commit stages.Hash) (stages.Hash, error) {
	h, err := r.objects.treeOf(commit)
	if err != nil {
		return "", err
	}
	return stages.Hash(h.String()), nil
}

// Changes lists what tree or commit b changed against a, sorted by path.
func (r *Reader) Changes(a, b stages.Hash) ([]stages.Change, error) {
	deltas, err := r.deltas(a, b)
	if err != nil {
		return nil, err
	}
	out := make([]stages.Change, len(deltas))
	for i, d := range deltas {
		out[i] = d.change()
	}
	return out, nil
}

func (r *Reader) deltas(a, b stages.Hash) ([]delta, error) {
	from, err := r.objects.treeOf(a)
	if err != nil {
		return nil, err
	}
	to, err := r.objects.treeOf(b)
	if err != nil {
		return nil, err
	}
	return r.objects.diff(from, to)
}

// Diff is the unified diff between two commits or trees, as git prints it.
func (r *Reader) Diff(ctx context.Context, a, b stages.Hash) ([]byte, error) {
	return r.git.run(ctx, "diff-tree", "-p", "-r", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames",
		"--src-prefix=a/", "--dst-prefix=b/", string(a), string(b))
}

// Reachable tells whether commit is tip or one of its ancestors.
func (r *Reader) Reachable(ctx context.Context, commit, tip stages.Hash) (bool, error) {
	if commit == tip {
		return true, nil
	}
	_, err := r.git.run(ctx, "merge-base", "--is-ancestor", string(commit), string(tip))
	if exited(err, 1) {
		return false, nil
	}
	return err == nil, err
}

// Commits is the set of commits that tip has and base has not; with base ""
// all that tip has.
func (r *Reader) Commits(ctx context.Context, base, tip stages.Hash) (map[stages.Hash]bool, error) {
	args := []string{"rev-list", string(tip)}
	if base != "" {
		args = append(args, "^"+string(base))
	}
	out, err := r.git.run(ctx, args...)
	if err != nil {
		return nil, err
	}
	set := map[stages.Hash]bool{}
	for h := range strings.FieldsSeq(string(out)) {
		set[stages.Hash(h)] = true
	}
	return set, nil
}

// checkVersion asks for git 2.38, the first with `merge-tree --write-tree`.
func checkVersion(ctx context.Context) error {
	if _, err := exec.LookPath("git"); err != nil {
		return refuse("install git 2.38 or newer", "the git command was not found in PATH")
	}
	said, err := command{}.line(ctx, "version")
	if err != nil {
		return err
	}
	if !newEnough(said) {
		return refuse("install git 2.38 or newer", "%s is too old", said)
	}
	return nil
}

// newEnough reads "git version 2.39.5 (Apple Git-154)".
func newEnough(said string) bool {
	var major, minor int
	if n, _ := fmt.Sscanf(strings.TrimPrefix(said, "git version "), "%d.%d", &major, &minor); n != 2 {
		return false
	}
	return major > 2 || major == 2 && minor >= 38
}

// Without is the tree of a commit without one of its files.
func (r *Reader) Without(commit stages.Hash, path string) (stages.Hash, error) {
	tree, err := r.objects.treeOf(commit)
	if err != nil {
		return "", err
	}
	tree, err = r.objects.edit(tree, map[string]leaf{path: {}})
	return stages.Hash(tree.String()), err
}
