package envelope

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
)

// maxClaims bounds how many entries of one list are looked at. A list with more
// is refused.
const maxClaims = 10_000

// within refuses a list that is too long.
func within(list []string, what string) ([]string, []Check) {
	if len(list) <= maxClaims {
		return list, nil
	}
	return list[:maxClaims], []Check{{Item: what, Note: fmt.Sprintf("%d entries; at most %d are looked at", len(list), maxClaims)}}
}

// changesInDiff holds each path that is said to be changed against the base.
func changesInDiff(ctx context.Context, e Envelope, f Facts) []Check {
	if f.Differ == nil {
		return nil
	}
	claims, checks := within(claimed(e), "changed_files")
	if len(claims) == 0 {
		return nil
	}
	repo := make([]string, len(claims)) // each claim as git names it; "" if it cannot be one
	var paths []string
	for i, claim := range claims {
		if repo[i] = repoPath(claim, f.Workspace); repo[i] != "" {
			paths = append(paths, repo[i])
		}
	}
	differ, err := f.Differ(ctx, paths)
	if err != nil {
		return append(checks, Check{Item: "diff", Note: err.Error()})
	}
	really := make(map[string]bool, len(differ))
	for _, p := range differ {
		really[p] = true
	}
	for i, claim := range claims {
		c := Check{Item: itemOf(claim), OK: repo[i] != "" && really[repo[i]]}
		switch {
		case !isPath(claim):
			c.Note = "not a path"
		case repo[i] == "":
			c.Note = "outside of the workspace"
		case !c.OK && isFolder(f.Workspace, repo[i]):
			c.Note = "a folder: name its files"
		case !c.OK:
			c.Note = "not changed"
		}
		checks = append(checks, c)
	}
	return checks
}

// itemOf is a claim as it is told: one that is empty is to be seen, too.
func itemOf(claim string) string { return cmp.Or(claim, `""`) }

func isFolder(workspace, p string) bool {
	info, err := os.Lstat(filepath.Join(workspace, filepath.FromSlash(p)))
	return err == nil && info.IsDir()
}

// claimed are the paths that an envelope says are changed.
func claimed(e Envelope) []string {
	switch v := e.(type) {
	case BuildOutput:
		return v.ChangedFiles
	case DocumentOutput:
		if v.DocumentPath != "" {
			return []string{v.DocumentPath}
		}
	}
	return nil
}

// repoPath is a claim as git names it, "" if it is no path of the repository.
func repoPath(claim, workspace string) string {
	if !isPath(claim) {
		return ""
	}
	if filepath.IsAbs(claim) {
		claim = fromRoot(claim, workspace)
	}
	p := path.Clean(filepath.ToSlash(claim))
	if p == "." || !filepath.IsLocal(filepath.FromSlash(p)) {
		return ""
	}
	return p
}

// fromRoot is an absolute path from the root of the workspace, which may be
// spelled by what a symlink above it leads to.
func fromRoot(p, workspace string) string {
	if end, err := filepath.EvalSymlinks(workspace); err == nil && under(end, p) {
		workspace = end
	}
	rel, err := filepath.Rel(workspace, p)
	if err != nil {
		return ""
	}
	return rel
}

// nothingCommitted looks at HEAD: agents never commit.
func nothingCommitted(ctx context.Context, _ Envelope, f Facts) []Check {
	if f.Head == nil || f.Base == "" {
		return nil
	}
	head, err := f.Head(ctx)
	switch {
	case err != nil:
		return []Check{{Item: "HEAD", Note: err.Error()}}
	case head != f.Base:
		return []Check{{Item: "HEAD", Note: fmt.Sprintf("moved from %s to %s: agents never commit; `git reset --soft %s` takes it back", f.Base, head, f.Base)}}
	}
	return []Check{{Item: "HEAD", OK: true}}
}
