package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taskpipeline/pipeline/internal/view"
	"github.com/taskpipeline/pipeline/stages/envelope"
	"github.com/taskpipeline/pipeline/tasks"
)

// taskFiles are the names of a folder's TASK files; none if the folder is not
// there.
func taskFiles(fsys fs.FS, dir string) ([]string, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if _, ok := tasks.FileOf(e.Name()); ok && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// written are the TASK files that the planner has made in its workspace, by
// name. It is an error that names the file if it changed one that was there, or
// made one that is there already. No link leads out of the workspace.
func (pl *planner) written() (map[string][]byte, error) {
	root, err := os.OpenRoot(pl.work.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	names, err := taskFiles(root.FS(), pl.inTree)
	if err != nil {
		return nil, fmt.Errorf("the folder cannot be read: %w", err)
	}
	out := map[string][]byte{}
	for _, name := range names {
		text, err := readBounded(root.FS(), path.Join(pl.inTree, name), pl.config.Limits.TaskFile)
		if err != nil {
			return nil, err
		}
		was, err := pl.project.repo.File(pl.base, path.Join(pl.inTree, name))
		switch {
		case err != nil:
			return nil, err
		case was != nil && bytes.Equal(was, text):
			continue
		case was != nil || slices.Contains(pl.before, name):
			return nil, fmt.Errorf("%s: it was there already; a planner changes no TASK file that is there", name)
		}
		out[name] = text
	}
	if len(out) == 0 {
		return nil, errors.New("no new TASK file is in this folder")
	}
	return out, nil
}

func readBounded(fsys fs.FS, name string, most int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s: a TASK file has at most %d bytes", path.Base(name), most)
	}
	return text, err
}

// sound is the gate that a plan has to pass: the folder with the new TASK files
// in it must have nothing wrong, as `pipeline validate` sees it.
func (pl *planner) sound() envelope.Gate {
	return envelope.Gate{Name: "tasks_valid", Check: func(context.Context, envelope.Envelope, envelope.Facts) []envelope.Check {
		files, err := pl.written()
		if err != nil {
			return []envelope.Check{{Item: pl.inTree, Note: err.Error()}}
		}
		problems, err := pl.problems(files)
		if err != nil {
			return []envelope.Check{{Item: pl.inTree, Note: err.Error()}}
		}
		checks := []envelope.Check{{Item: pl.inTree, OK: true}}
		for _, problem := range problems {
			if problem.Severity == tasks.Error {
				checks = append(checks, envelope.Check{Item: cmp.Or(problem.File, pl.inTree), Note: problem.String()})
			}
		}
		return checks
	}}
}

// problems are those of the folder as it would be with the new files.
func (pl *planner) problems(files map[string][]byte) ([]tasks.Problem, error) {
	dir, err := os.MkdirTemp("", "pipeline-plan-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, name := range pl.before {
		text, err := os.ReadFile(filepath.Join(pl.dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			return nil, err
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return nil, err
		}
	}
	_, problems, err := tasks.LoadDir(dir)
	return problems, err
}

// put copies the planned TASK files into the folder, and returns their paths. It
// overwrites nothing.
func (pl *planner) put(files map[string][]byte) (paths []string, err error) {
	for name, text := range files {
		to := filepath.Join(pl.dir, name)
		if err := writeNew(to, text); err != nil {
			return paths, faultf(errUsage, "%s cannot be written: %v", pl.p.typed(to), err)
		}
		paths = append(paths, to)
	}
	slices.Sort(paths)
	return paths, nil
}

// commit commits the TASK files and nothing else.
func (pl *planner) commit(ctx context.Context, message string, paths []string) error {
	message = cmp.Or(strings.TrimSpace(view.Plain(message)), "Plan: "+view.Plain(firstLine(pl.o.Goal)))
	root := pl.project.repo.Root()
	for _, args := range [][]string{append([]string{"add", "--"}, paths...), append([]string{"commit", "-q", "-m", message, "--"}, paths...)} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir, cmd.Env = root, pl.p.Environ
		if out, err := cmd.CombinedOutput(); err != nil {
			return faultf(errUsage, "the TASK files are written, and git %s failed: %v: %s", args[0], err, strings.TrimSpace(view.Plain(string(out)))).
				then("git commit -m %q -- %s", message, pl.p.typed(pl.dir))
		}
	}
	return nil
}
