package envelope

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// maxClaims bounds how many entries of one list are looked at. A list with more
// is refused.
const maxClaims = 10_000

// maxJSON bounds the size of an artifact that json_parses reads, in bytes.
const maxJSON = 64 << 20

// artifact is one entry of artifacts, looked up.
type artifact struct {
	item string // as it is written
	path string // absolute, "" if it is outside or cannot be a path
	note string // why path is empty
}

// artifactsOf looks up every artifact: a relative one in the workspace, and if
// it is not there in the folder for handoffs.
func artifactsOf(e Envelope, f Facts) ([]artifact, []Check) {
	list, refused := within(e.Common().Artifacts, "artifacts")
	out := make([]artifact, len(list))
	for i, name := range list {
		out[i] = locate(name, f)
	}
	return out, refused
}

// within refuses a list that is too long.
func within(list []string, what string) ([]string, []Check) {
	if len(list) <= maxClaims {
		return list, nil
	}
	return list[:maxClaims], []Check{{Item: what, Note: fmt.Sprintf("%d entries; at most %d are looked at", len(list), maxClaims)}}
}

func locate(name string, f Facts) artifact {
	a := artifact{item: name}
	switch {
	case strings.TrimSpace(name) == "" || strings.ContainsRune(name, 0):
		a.note = "not a path"
		return a
	case filepath.IsAbs(name):
		a.path = filepath.Clean(name)
	default:
		a.path = filepath.Join(f.Workspace, name)
		if f.HandoffDir != "" {
			if _, err := os.Lstat(a.path); err != nil {
				if there := filepath.Join(f.HandoffDir, name); inside(there, f) {
					if _, err := os.Lstat(there); err == nil {
						a.path = there
					}
				}
			}
		}
	}
	if !inside(a.path, f) {
		a.path, a.note = "", "outside of the workspace and of the session's folder"
	}
	return a
}

// inside reports whether a path lies, as it is spelled, in the workspace or in
// the session's folder.
func inside(p string, f Facts) bool {
	for _, root := range []string{f.Workspace, f.SessionDir, f.HandoffDir} {
		if root != "" && under(root, p) {
			return true
		}
	}
	return false
}

func under(root, p string) bool {
	rel, err := filepath.Rel(root, p)
	return err == nil && filepath.IsLocal(rel)
}

// artifactsInTree follows symlinks.
func artifactsInTree(_ context.Context, e Envelope, f Facts) []Check {
	real := Facts{Workspace: resolved(f.Workspace), SessionDir: resolved(f.SessionDir), HandoffDir: resolved(f.HandoffDir)}
	all, checks := artifactsOf(e, f)
	for _, a := range all {
		c := Check{Item: a.item, OK: true}
		if a.path == "" {
			c.OK, c.Note = false, a.note
		} else if end, err := filepath.EvalSymlinks(a.path); err == nil && !inside(end, real) {
			c.OK, c.Note = false, "a symlink that leads out of the workspace and of the session's folder"
		}
		checks = append(checks, c)
	}
	return checks
}

// resolved is a path without symlinks in it, "" if it is not there.
func resolved(p string) string {
	if p == "" {
		return ""
	}
	end, err := filepath.EvalSymlinks(p)
	if err != nil {
		return ""
	}
	return end
}

// eachArtifact looks at those artifacts that lie where they may.
func eachArtifact(e Envelope, f Facts, look func(a artifact) (note string)) []Check {
	all, _ := artifactsOf(e, f)
	var checks []Check
	for _, a := range all {
		if a.path != "" {
			note := look(a)
			checks = append(checks, Check{Item: a.item, OK: note == "", Note: note})
		}
	}
	return checks
}

func artifactsExist(_ context.Context, e Envelope, f Facts) []Check {
	return eachArtifact(e, f, func(a artifact) string {
		if _, err := os.Stat(a.path); err != nil {
			return "does not exist"
		}
		return ""
	})
}

// artifactsNonEmpty leaves what does not exist to artifactsExist.
func artifactsNonEmpty(_ context.Context, e Envelope, f Facts) []Check {
	return eachArtifact(e, f, func(a artifact) string {
		info, err := os.Stat(a.path)
		if err != nil {
			return ""
		}
		if info.IsDir() {
			if entries, err := os.ReadDir(a.path); err == nil && len(entries) == 0 {
				return "an empty folder"
			}
			return ""
		}
		if info.Mode().IsRegular() && info.Size() == 0 {
			return "empty"
		}
		return ""
	})
}

func jsonParses(_ context.Context, e Envelope, f Facts) []Check {
	checks := eachArtifact(e, f, func(a artifact) string {
		info, err := os.Stat(a.path)
		switch {
		case !strings.EqualFold(filepath.Ext(a.path), ".json"), err != nil, !info.Mode().IsRegular():
			return ""
		case info.Size() > maxJSON:
			return fmt.Sprintf("%d bytes; at most %d are read", info.Size(), maxJSON)
		}
		b, err := os.ReadFile(a.path)
		if err != nil {
			return "cannot be read"
		}
		var v any
		if err := json.Unmarshal(b, &v); err != nil {
			return "not JSON: " + err.Error()
		}
		return ""
	})
	return checks
}

// changesInDiff holds each path that is said to be changed against the base.
func changesInDiff(ctx context.Context, e Envelope, f Facts) []Check {
	if f.Differ == nil {
		return nil
	}
	claims, checks := within(claimed(e), "changed_files")
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
		c := Check{Item: claim, OK: really[repo[i]]}
		switch {
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
	if claim == "" || strings.ContainsRune(claim, 0) {
		return ""
	}
	if filepath.IsAbs(claim) {
		rel, err := filepath.Rel(workspace, claim)
		if err != nil {
			return ""
		}
		claim = rel
	}
	p := path.Clean(filepath.ToSlash(claim))
	if p == "." || !filepath.IsLocal(filepath.FromSlash(p)) {
		return ""
	}
	return p
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

// verdictConsistent holds a review's verdict against its reasons.
func verdictConsistent(_ context.Context, e Envelope, _ Facts) []Check {
	v, ok := e.(ReviewOutput)
	if !ok {
		return nil
	}
	var checks []Check
	reasons := len(v.Blocking)
	if v.Approved && len(v.Blocking) > 0 {
		checks = append(checks, Check{Item: "blocking", Note: fmt.Sprintf("approved is true, and %d things must change before approval", len(v.Blocking))})
	}
	for _, f := range v.Findings {
		if f.Met {
			continue
		}
		reasons++
		if v.Approved && len(checks) < maxClaims {
			checks = append(checks, Check{Item: f.Requirement, Note: "not met, and approved is true"})
		}
	}
	if !v.Approved && reasons == 0 && strings.TrimSpace(v.Summary) == "" {
		checks = append(checks, Check{Item: "approved", Note: "false, and nothing says why: name what must change under blocking"})
	}
	if checks == nil {
		checks = []Check{{Item: "approved", OK: true}}
	}
	return checks
}
