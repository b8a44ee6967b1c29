package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"

	"github.com/taskpipeline/pipeline/internal/config"
	"github.com/taskpipeline/pipeline/tasks"
)

// folder is a tasks folder as it was read.
type folder struct {
	Dir      string // absolute
	Name     string // as the user would type it
	Config   config.Config
	Graph    *tasks.Graph // nil if a problem is an error
	Problems []tasks.Problem
}

// open reads the folder of TASK files that was typed, else the config's. The
// error says why there is none to speak of; a folder with problems is none.
func (p *Process) open(typed string) (*folder, error) {
	c, err := p.settings()
	if err != nil {
		return nil, err
	}
	f := &folder{Dir: c.TasksDir, Config: c}
	if typed != "" {
		f.Dir = p.path(typed)
	}
	f.Name = p.typed(f.Dir)
	f.Graph, f.Problems, err = tasks.LoadDir(f.Dir)
	switch {
	case errors.Is(err, tasks.ErrNoTasks):
		bad := faultf(errNothing, "%s: no TASK file there, such as TASK-01.md", f.Name).then(`pipeline new "A title" --dir %s`, f.Name)
		for _, problem := range f.Problems {
			bad.more = append(bad.more, f.line(problem)) // names that nearly are those of TASKs
		}
		return f, bad
	case errors.Is(err, fs.ErrNotExist) && typed != "":
		return f, faultf(errUsage, "%s: no such folder", f.Name).then(`pipeline new "A title" --dir %s`, f.Name)
	case errors.Is(err, fs.ErrNotExist):
		return f, faultf(errUsage, "%s: no such folder", f.Name).then("pipeline init")
	case err != nil:
		if info, statErr := os.Stat(f.Dir); statErr == nil && !info.IsDir() {
			return f, faultf(errUsage, "%s: not a folder", f.Name).then("pipeline validate %s", path.Dir(f.Name))
		}
		return f, faultf(errUsage, "%v", err)
	}
	return f, nil
}

// sound is open for a verb that needs a graph: problems are a fault.
func (p *Process) sound(typed string) (*folder, error) {
	f, err := p.open(typed)
	if err != nil {
		return f, err
	}
	if f.Graph == nil {
		return f, f.fault()
	}
	return f, nil
}

// fault tells all errors of the folder.
func (f *folder) fault() *fault {
	var lines []string
	for _, problem := range f.Problems {
		if problem.Severity == tasks.Error {
			lines = append(lines, f.line(problem))
		}
	}
	bad := faultf(errUsage, "%s", lines[0]).then("pipeline validate %s", f.Name)
	bad.more = lines[1:]
	return bad
}

// line is a problem with its file as the user would type it.
func (f *folder) line(problem tasks.Problem) string {
	problem.File = path.Join(f.Name, problem.File)
	return problem.String()
}

// executors tells which executors build and verify a TASK.
func (f *folder) executors(t *tasks.Task) (builder, verifier string) {
	return cmp.Or(t.Builder, f.Config.Stages.Builder), cmp.Or(t.Verifier, f.Config.Stages.Verifier)
}
