package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Flag is a setting from the command line.
type Flag struct {
	Key   string // such as "jobs"
	Name  string // as typed, such as "--jobs" or "-j"
	Value string
}

// Sources are where a configuration comes from, the weakest first: the defaults,
// the user's file, the project's file, variables, flags.
type Sources struct {
	Dir     string   // absolute; a pipeline.yaml is looked for here and above
	Root    string   // absolute; the last folder looked in: the repository's root. "" means Dir
	UserDir string   // os.UserConfigDir; pipeline/pipeline.yaml below it is read. "" for none
	Environ []string // os.Environ
	Flags   []Flag
	CPUs    int      // for the default of jobs
	InGo    []string // executors that exist without an entry: those given to pipeline.Main
}

// Load reads all sources. What is wrong with any of them is fatal: the error is
// then an *Error with every problem that was found, each at its place.
func Load(s Sources) (Config, error) {
	l := loader{config: Default(s.CPUs)}
	l.config.TasksDir = filepath.Join(cmp.Or(s.Root, s.Dir), l.config.Tasks)
	if s.UserDir != "" {
		path := filepath.Join(s.UserDir, "pipeline", FileName)
		l.file(path, path)
	}
	if path, err := find(s.Dir, cmp.Or(s.Root, s.Dir)); err != nil {
		l.add(err)
	} else if path != "" {
		l.config.File = path
		l.file(path, shown(path, s.Dir))
	}
	l.variables(s.Environ, s.Dir)
	for _, f := range s.Flags {
		l.set(f.Key, value{text: f.Value, at: Origin{Kind: FromFlag, Name: f.Name}}, s.Dir)
	}
	if len(l.problems) == 0 {
		l.finish(s.InGo)
	}
	if len(l.problems) > 0 {
		return Config{}, &Error{Problems: l.problems}
	}
	return l.config, nil
}

// loader applies one source after the other to a configuration.
type loader struct {
	config   Config
	problems []Problem
}

func (l *loader) add(err error) {
	p := new(Problem)
	if !errors.As(err, &p) {
		p = &Problem{Message: err.Error()}
	}
	l.problems = append(l.problems, *p)
}

func (l *loader) file(path, name string) {
	at := Origin{Kind: FromFile, Name: name}
	b, err := read(path)
	if err != nil {
		l.add(&Problem{At: at, Message: err.Error()})
		return
	}
	root, err := parse(b, at)
	if err != nil {
		l.add(err)
		return
	}
	if root != nil {
		l.mapping("", value{node: root, at: at.moved(root)}, filepath.Dir(path))
	}
}

// mapping sets every key below prefix.
func (l *loader) mapping(prefix string, v value, base string) {
	pairs, err := v.pairs()
	if err != nil {
		l.add(keyed(err, strings.TrimSuffix(prefix, ".")))
		return
	}
	for _, p := range pairs {
		path := prefix + p.name
		switch {
		case path == "executors":
			l.executors(p.value)
		case group(path):
			l.mapping(path+".", p.value, base)
		default:
			p.value.at = cmp.Or(p.value.at, p.at)
			l.pair(path, p, base)
		}
	}
}

func (l *loader) pair(path string, p pair, base string) {
	if !slices.ContainsFunc(keys(), func(k key[Config]) bool { return k.path == path }) {
		l.add(&Problem{At: p.at, Key: path, Message: unknown(path, paths())})
		return
	}
	l.set(path, p.value, base)
}

// set gives one key its value; base is where a relative path starts.
func (l *loader) set(path string, v value, base string) {
	if path == "executors" {
		l.executors(v)
		return
	}
	for _, k := range keys() {
		if k.path != path {
			continue
		}
		err := k.read(&l.config, v)
		if err == nil {
			err = notYet(path, v, k.show(&l.config))
		}
		if err != nil {
			l.add(keyed(err, path))
			return
		}
		l.config.origins[path] = v.at
		if path == "tasks" {
			l.config.TasksDir = absolute(base, l.config.Tasks)
		}
		return
	}
	l.add(&Problem{At: v.at, Key: path, Message: unknown(path, paths())})
}

// executors adds to the executors, or replaces those of the same name whole.
func (l *loader) executors(v value) {
	entries, err := v.pairs()
	if err != nil {
		l.add(keyed(err, "executors"))
		return
	}
	for _, entry := range entries {
		path := "executors." + entry.name
		if !executorName.MatchString(entry.name) {
			l.add(&Problem{At: entry.at, Key: "executors", Message: fmt.Sprintf("%q cannot be a name; use letters, digits, _ and -", clip(entry.name))})
			continue
		}
		for said := range l.config.origins {
			if strings.HasPrefix(said, path+".") {
				delete(l.config.origins, said)
			}
		}
		l.config.origins[path] = entry.at
		l.config.Executors[entry.name] = l.executor(path, entry.value)
	}
}

func (l *loader) executor(path string, v value) Executor {
	e := Executor{}
	pairs, err := v.pairs()
	if err != nil {
		l.add(keyed(err, path))
	}
	for _, p := range pairs {
		known := false
		for _, k := range executorKeys() {
			if k.path != p.name {
				continue
			}
			known = true
			err := k.read(&e, p.value)
			if err == nil {
				err = notYet("executors.*."+p.name, p.value, k.show(&e))
			}
			if err != nil {
				l.add(keyed(err, path+"."+p.name))
			}
			l.config.origins[path+"."+p.name] = p.value.at
		}
		if !known {
			l.add(&Problem{At: p.at, Key: path + "." + p.name, Message: unknown(p.name, executorPaths())})
		}
	}
	return e
}

func keyed(err error, key string) error {
	if p := new(Problem); errors.As(err, &p) && p.Key == "" {
		p.Key = key
	}
	return err
}

func absolute(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}
