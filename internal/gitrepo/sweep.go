package gitrepo

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/taskpipeline/pipeline/internal/crash"
)

// dropRules removes the ignore rules and attributes at the top of a slot that
// tree does not have. A .gitignore that ignores itself would outlive every
// cleaning, and have all that later TASKs write ignored.
func (r *Repo) dropRules(s *slot, tree plumbing.Hash) error {
	defer crash.Around("workspace rules")()
	for _, name := range []string{".gitignore", ".gitattributes"} {
		l, err := r.objects.lookup(tree, name)
		if err != nil {
			return err
		}
		if l.mode != 0 {
			continue
		}
		if err := os.RemoveAll(filepath.Join(s.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// clean removes everything that is neither tracked nor ignored. What nothing
// but a removed .gitignore had ignored shows afterwards, and goes too.
// attributes tells whether a .gitattributes was removed.
func (s *slot) clean(ctx context.Context) (attributes bool, _ error) {
	defer crash.Around("workspace clean")()
	for {
		out, err := s.git.run(ctx, "clean", "-ffd")
		if err != nil {
			return false, err
		}
		rules := false
		for line := range strings.Lines(string(out)) {
			line = strings.TrimRight(line, "\"\n")
			rules = rules || strings.HasSuffix(line, ".gitignore")
			attributes = attributes || strings.HasSuffix(line, ".gitattributes")
		}
		if !rules {
			return attributes, nil
		}
	}
}

// makeWritable opens the directories below dir that nobody may write to, such
// as Go's module cache: they stop git. What it cannot open, git will name.
func makeWritable(dir string) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			_ = os.Chmod(path, 0o755)
		}
		return nil
	})
}
