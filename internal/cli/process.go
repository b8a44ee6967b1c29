package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/taskpipeline/pipeline/stages"
)

// Process is what a command line gets from the operating system. Nothing in
// this package looks past it, so a test can run a command without a process.
type Process struct {
	Args    []string // without the program's name
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Environ []string // KEY=value
	Dir     string   // absolute working directory; -C moves it

	ConfigDir string // of the user, absolute; "" for none

	// Executors are the Go executors of the program that embeds this one, by
	// the names that a config's `stages:` uses.
	Executors map[string]stages.Executor
}

// OS is the Process that this program runs in.
func OS(args []string, executors map[string]stages.Executor) *Process {
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // the directory is gone: whatever is looked for in it says so
	}
	configDir, err := os.UserConfigDir()
	if err != nil {
		configDir = "" // no home, so no settings of the user's own
	}
	return &Process{
		ConfigDir: configDir,
		Args:      args,
		Stdin:     os.Stdin,
		Stdout:    os.Stdout,
		Stderr:    os.Stderr,
		Environ:   os.Environ(),
		Dir:       dir,
		Executors: executors,
	}
}

// getenv is the value of a variable, or "".
func (p *Process) getenv(key string) string {
	value, _ := p.lookupEnv(key)
	return value
}

// lookupEnv is the last value of a variable, and whether it is set.
func (p *Process) lookupEnv(key string) (string, bool) {
	for i := len(p.Environ) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(p.Environ[i], key+"="); ok {
			return v, true
		}
	}
	return "", false
}

// path makes a name that was typed absolute.
func (p *Process) path(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(p.Dir, name)
}

// typed is the name of a path as the user would type it: relative to the
// working directory when it lies in it.
func (p *Process) typed(path string) string {
	rel, err := filepath.Rel(p.Dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return filepath.ToSlash(rel)
}
