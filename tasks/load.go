package tasks

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/yuin/goldmark/parser"
	"golang.org/x/sync/errgroup"
)

// ErrNoTasks tells that a folder holds no TASK file.
var ErrNoTasks = errors.New("no TASK file here: add one named TASK-01.md")

// LoadDir is [Load] of a folder of the file system. No link in it is followed out
// of it. A folder that is missing or is not a directory is an error of its own
// ([fs.ErrNotExist] tells the first).
func LoadDir(dir string) (*Graph, []Problem, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("find the tasks folder %s: %w", dir, err)
	}
	root, err := os.OpenRoot(full)
	if err != nil {
		return nil, nil, fmt.Errorf("open the tasks folder %s: %w", dir, cause(err))
	}
	defer root.Close()
	return Load(root.FS(), filepath.Base(full))
}

// Load reads every TASK file at the top of a folder, once, with PLAN.md. The name
// is that of the folder: it names the work where PLAN.md does not.
//
// The folder must allow concurrent reading, as all file systems of the standard
// library do. Everything wrong is reported at once, by file and line. The graph is nil when a
// problem is an [Error], and when there is an error: then the folder as a whole
// cannot be used, because it cannot be listed or because it has no TASK
// ([ErrNoTasks]; problems may still hold warnings about names).
func Load(fsys fs.FS, name string) (*Graph, []Problem, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, nil, fmt.Errorf("list the tasks folder %s: %w", name, cause(err))
	}
	l := loader{fsys: fsys, md: newMarkdown()}
	for _, e := range entries {
		l.entry(e)
	}
	if len(l.files) <= MaxTasks {
		l.read()
	}
	if len(l.files) == 0 {
		return nil, l.problems, fmt.Errorf("%s: %w", name, ErrNoTasks)
	}
	if len(l.files) > MaxTasks {
		l.problems = append(l.problems, Problem{Severity: Error,
			Message: fmt.Sprintf("%d TASKs are more than the limit of %d: split the work", len(l.files), MaxTasks)})
		return nil, l.problems, nil
	}
	var p plan
	if i := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return e.Name() == planFile }); i >= 0 {
		var problems []Problem
		p, problems = readPlan(fsys, entries[i], l.md)
		l.problems = append(l.problems, problems...)
	}
	for i := range l.files {
		l.settle(&l.files[i], p)
	}
	l.absent(p)
	l.prefixes(name, p.work)

	g, problems := build(l.list(), func(task int, id ID) place { return l.files[task].placeOf(id) })
	l.problems = append(l.problems, problems...)
	slices.SortStableFunc(l.problems, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	if anyError(l.problems) {
		return nil, l.problems, nil
	}
	g.work, g.title = cmp.Or(p.work, name), p.title
	return g, l.problems, nil
}

// loader collects the files of one folder.
type loader struct {
	fsys     fs.FS
	md       parser.Parser
	files    []taskFile
	problems []Problem
}

// entry takes up one entry of the folder, if its name is that of a TASK.
func (l *loader) entry(e fs.DirEntry) {
	whole := place{file: e.Name()}
	name, ok, near := parseName(e.Name())
	if near != "" && !e.IsDir() {
		l.problems = append(l.problems, whole.problem(Warning, "%s", near))
	}
	if !ok {
		return
	}
	l.files = append(l.files, taskFile{
		entry: e,
		name:  name,
		task:  Task{ID: name.id, File: e.Name(), Title: cmp.Or(name.slug, string(name.id))},
	})
}

// read reads all files, as many at a time as there are processors, and forgets
// the directories among them.
func (l *loader) read() {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range l.files {
		group.Go(func() error {
			l.files[i].load(l.fsys, l.md)
			return nil
		})
	}
	_ = group.Wait() // what goes wrong is kept in each file
	for i := range l.files {
		l.problems = append(l.problems, l.files[i].problems...)
	}
	l.files = slices.DeleteFunc(l.files, func(f taskFile) bool { return f.directory })
}

// settle decides which dependencies count: those of the file, or the plan's for a
// file that says nothing.
func (l *loader) settle(f *taskFile, p plan) {
	planned := p.claims[f.task.ID]
	switch {
	case len(f.claims) > 0:
		f.deps = f.claims[0].deps
		for _, c := range planned {
			if own := f.claims[0].ids(); !slices.Equal(own, c.ids()) {
				l.problems = append(l.problems, c.place.problem(Warning,
					"%s needs %s here but %s in %s, which counts: bring this line up to date", f.task.ID, listed(c.ids()), listed(own), f.task.File))
				break
			}
		}
	case len(planned) > 0:
		f.deps = planned[0].deps
		for _, c := range planned {
			l.problems = append(l.problems, c.problems...)
		}
		l.problems = append(l.problems, agree(planned)...)
	}
	f.deps = slices.Clone(f.deps)
	slices.SortStableFunc(f.deps, func(a, b dep) int { return a.id.Compare(b.id) })
	for _, d := range f.deps {
		f.task.Deps = append(f.task.Deps, d.id)
	}
	f.task.Deps = sortedSet(f.task.Deps)
	f.task.SpecHash = specHash(f.task.Deps, f.task.Spec)
}

// absent warns of TASKs that only the plan knows.
func (l *loader) absent(p plan) {
	here := make(map[ID]bool, len(l.files))
	for i := range l.files {
		here[l.files[i].task.ID] = true
	}
	for id, claims := range p.claims {
		if !here[id] && len(claims) > 0 {
			l.problems = append(l.problems, claims[0].place.problem(Warning, "%s has no file: add %s.md or take it out of the plan", id, id))
		}
	}
}

// prefixes warns once of each prefix that is neither the folder's name nor the
// plan's: ids are compared by number, so an id of another work would pass.
func (l *loader) prefixes(folder, work string) {
	seen := map[string]bool{"": true, strings.ToLower(folder): true, strings.ToLower(work): true}
	check := func(prefix string, id ID, at place) {
		if key := strings.ToLower(prefix); !seen[key] {
			seen[key] = true
			l.problems = append(l.problems, at.problem(Warning,
				"the prefix %s of %s is neither the folder's name nor PLAN.md's id and is not looked at: %s is meant", brief(prefix), id, id))
		}
	}
	for i := range l.files {
		f := &l.files[i]
		check(f.name.prefix, f.task.ID, place{file: f.task.File})
		for _, d := range f.deps {
			check(d.prefix, d.id, d.place)
		}
	}
}

func (l *loader) list() []Task {
	list := make([]Task, len(l.files))
	for i := range l.files {
		list[i] = l.files[i].task
	}
	return list
}
