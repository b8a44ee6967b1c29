package gitrepo

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/tasks"
)

// Facts are those of a TASK's workspace.
func (r *Repo) Facts(task tasks.ID) stages.Facts { return facts{r, string(task)} }

type facts struct {
	repo *Repo
	task string
}

// slot is the TASK's workspace, a *Fault if it is not there any more.
func (f facts) slot() (*slot, error) {
	s := f.repo.held(f.task)
	if s == nil {
		return nil, lost("the workspace of %s is gone", f.task)
	}
	return s, f.repo.intact(s)
}

func (f facts) Head(ctx context.Context) (stages.Hash, error) {
	s, err := f.slot()
	if err != nil {
		return "", err
	}
	head, err := s.git.line(ctx, "rev-parse", "--verify", "HEAD")
	return stages.Hash(head), f.repo.orLost(f.task, err)
}

func (f facts) Differ(ctx context.Context, from stages.Hash, paths []string) ([]string, error) {
	s, err := f.slot()
	if err != nil {
		return nil, err
	}
	tree, err := f.repo.objects.treeOf(from)
	if err != nil {
		return nil, err
	}
	had := make(map[string]leaf, len(paths))
	var files []dirty
	for _, path := range paths {
		if _, twice := had[path]; twice || !filepath.IsLocal(filepath.FromSlash(path)) {
			continue
		}
		l, err := f.repo.objects.lookup(tree, path)
		if err != nil {
			return nil, err
		}
		had[path] = l
		d := dirty{path: path, mode: l.mode, untracked: l.mode == 0}
		if info, err := os.Lstat(filepath.Join(s.dir, filepath.FromSlash(path))); err == nil && d.mode == 0 && info.Mode()&0o100 != 0 {
			d.mode = modeExec
		}
		files = append(files, d)
	}
	has, err := f.repo.hashFiles(ctx, s, tree, files)
	if err != nil {
		return nil, f.repo.orLost(f.task, err)
	}
	var out []string
	for path, l := range had {
		if has[path] != l {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out, nil
}

func (f facts) Altered(ctx context.Context, from stages.Hash) ([]string, error) {
	s, err := f.slot()
	if err != nil {
		return nil, err
	}
	tree, err := f.repo.objects.treeOf(from)
	if err != nil {
		return nil, err
	}
	now, err := f.repo.scanTree(ctx, s)
	if err != nil {
		return nil, f.repo.orLost(f.task, err)
	}
	deltas, err := f.repo.objects.diff(tree, now.tree)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(deltas))
	for i, d := range deltas {
		out[i] = d.path
	}
	return out, nil
}

func (f facts) Diff(ctx context.Context, from, to stages.Hash, limit int) (stages.Diff, error) {
	var d stages.Diff
	args := func(format ...string) []string {
		return slices.Concat([]string{"diff-tree", "-r", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames",
			"--src-prefix=a/", "--dst-prefix=b/"}, format, []string{string(from), string(to)})
	}
	numbers, err := f.repo.git.run(ctx, args("--numstat", "-z")...)
	if err != nil {
		return d, err
	}
	for line := range bytes.SplitSeq(bytes.TrimSuffix(numbers, []byte{0}), []byte{0}) {
		fields := strings.SplitN(string(line), "\t", 3)
		if len(fields) < 3 {
			continue
		}
		added, _ := strconv.Atoi(fields[0]) // "-" for binary files
		deleted, _ := strconv.Atoi(fields[1])
		d.Files = append(d.Files, fields[2])
		d.Insertions, d.Deletions = d.Insertions+added, d.Deletions+deleted
	}
	slices.Sort(d.Files)
	stat, err := f.repo.git.run(ctx, args("--stat=100", "--stat-count=200")...)
	if err != nil {
		return d, err
	}
	d.Stat = strings.TrimRight(string(stat), "\n")
	d.Patch, d.Cut, err = f.repo.git.upTo(ctx, limit, args("-p")...)
	return d, err
}
