package agent

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/taskpipeline/pipeline/progress"
	"github.com/taskpipeline/pipeline/stages"
	"github.com/taskpipeline/pipeline/stages/envelope"
)

// fromBuildOutput is the first line of a progress.md that we wrote.
const fromBuildOutput = "<!-- from BuildOutput -->\n"

// declare writes progress.md for a builder that reported its changed files and
// left none, or none but what was written for an earlier attempt. What it lists
// is held against the diff like any other.
func (c *conversation) declare(a *answer, v *stages.Response) error {
	built, ok := a.env.(envelope.BuildOutput)
	if !ok || a.raw == nil || len(built.ChangedFiles) == 0 || c.req.Progress == "" {
		return nil
	}
	changes := make([]progress.Change, len(built.ChangedFiles))
	for i, path := range built.ChangedFiles {
		changes[i] = progress.Change{Path: path}
	}
	text := progress.Render(string(c.req.Step.Task), "COMPLETED", c.req.Now, time.Now(), changes)
	made, err := createInside(c.req.Workspace, c.req.Progress, append([]byte(fromBuildOutput), text...))
	if made {
		v.Warnings = append(v.Warnings, "progress.md was written from BuildOutput: the agent left none")
	}
	return err
}

// createInside makes a file that is not there yet, or is one of ours. No symlink
// of the workspace leads it out.
func createInside(workspace, path string, b []byte) (made bool, err error) {
	dir, name := filepath.Split(path)
	if rel, err := filepath.Rel(workspace, path); err == nil && filepath.IsLocal(rel) {
		dir, name = workspace, rel
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false, err
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return false, nil // what is in its way is the agent's; the gate says that there is no progress.md
	}
	if ours(root, name) {
		_ = root.Remove(name) // if it stays, it stays as it is
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return false, nil
	}
	_, err = f.Write(b)
	return true, errors.Join(err, f.Close())
}

// ours reports whether a file is one that declare has written.
func ours(root *os.Root, name string) bool {
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := root.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(fromBuildOutput))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == fromBuildOutput
}
