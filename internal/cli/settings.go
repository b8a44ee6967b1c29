package cli

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"github.com/taskpipeline/pipeline/internal/config"
)

// settings reads the configuration for the working directory, with the flags
// that were typed. Whatever is wrong with it is a fault, all at once.
func (p *Process) settings(flags ...config.Flag) (config.Config, error) {
	inGo := make([]string, 0, len(p.Executors))
	for name := range p.Executors {
		inGo = append(inGo, name)
	}
	root, _ := gitRoot(p.Dir)
	c, err := config.Load(config.Sources{
		Dir:     p.Dir,
		Root:    root,
		UserDir: p.ConfigDir,
		Environ: p.Environ,
		Flags:   flags,
		CPUs:    runtime.NumCPU(),
		InGo:    inGo,
	})
	if bad := (*config.Error)(nil); errors.As(err, &bad) {
		f := faultf(errUsage, "%s", bad.Problems[0].Error()).then("pipeline schema pipeline")
		for _, problem := range bad.Problems[1:] {
			f.more = append(f.more, problem.Error())
		}
		return config.Config{}, f
	}
	return c, err
}

// gitRoot finds the checkout that dir lies in, as git does. It is false outside
// of any; then a configuration is looked for in dir alone.
func gitRoot(dir string) (string, bool) {
	for {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir, true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		dir = up
	}
}
