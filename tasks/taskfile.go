package tasks

import (
	"errors"
	"io/fs"
	"slices"

	"github.com/yuin/goldmark/parser"
)

// taskFile is one TASK as far as its own file tells.
type taskFile struct {
	entry     fs.DirEntry
	name      fileName
	task      Task
	claims    []claim
	deps      []dep // those that count
	directory bool  // no file at all
	problems  []Problem
}

// placeOf returns where a dependency is named; deps are in order by then.
func (f *taskFile) placeOf(id ID) place {
	i, ok := slices.BinarySearchFunc(f.deps, id, func(d dep, id ID) int { return d.id.Compare(id) })
	if !ok {
		return place{file: f.task.File}
	}
	return f.deps[i].place
}

// load reads the file. A broken TASK still counts as one, so that no other error
// follows from it.
func (f *taskFile) load(fsys fs.FS, md parser.Parser) {
	whole := place{file: f.task.File}
	data, err := readFile(fsys, f.entry, MaxFileSize)
	switch {
	case errors.Is(err, errDirectory):
		f.directory = true
		f.note(whole.problem(Warning, "%s with the name of a TASK and is ignored: rename it", err))
		return
	case err != nil:
		f.note(whole.problem(Error, "%s", err))
		return
	}
	text, problems := decode(f.task.File, data)
	f.note(problems...)
	if anyError(problems) {
		return
	}
	yaml, markdown, body, closed := splitFrontMatter(text)
	if !closed {
		whole.line = 1
		f.note(whole.problem(Error, "the front matter is never closed: end it with a line of ---"))
		return
	}
	if yaml != "" {
		fm := readFrontMatter(f.task.File, yaml)
		f.note(fm.problems...)
		f.task.Options = fm.options
		if fm.claim != nil {
			f.claims = append(f.claims, *fm.claim)
		}
	}
	f.task.Spec = markdown
	d, problems := parseMarkdown(md, f.task.File, markdown, body)
	f.note(problems...)
	f.parse(d)
}

// parse fills in what the file's Markdown says.
func (f *taskFile) parse(d *document) {
	sections := d.sections()
	claims, problems := d.claims(sections)
	f.claims = append(f.claims, claims...)
	f.note(problems...)
	f.note(agree(f.claims)...)
	f.note(d.unclosed()...)
	f.task.Title, problems = d.title(f.name)
	f.note(problems...)
	f.task.Build, problems = d.scripts(sections, "build")
	f.note(problems...)
	f.task.Verify, problems = d.scripts(sections, "verify")
	f.note(problems...)
	f.task.Files = d.files(sections)
}

func (f *taskFile) note(problems ...Problem) { f.problems = append(f.problems, problems...) }
