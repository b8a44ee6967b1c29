package command

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/taskpipeline/pipeline/tasks"
)

// Ready reports whether the program is there; see stages.Ready.
func (e Executor) Ready(tasks.Task) error {
	_, err := e.LookPath()
	return err
}

// LookPath is the absolute path of the program. A name without a slash is
// looked up in our PATH. A relative path such as ./build.sh is taken from
// Root, the user's own checkout, and not from the workspace: a stage must not
// be able to replace the program that judges it, and the script need not be
// committed. An empty Root means our own working directory.
func (e Executor) LookPath() (string, error) {
	if len(e.Argv) == 0 || e.Argv[0] == "" {
		return "", fmt.Errorf("%s has no program: give it a `command` in pipeline.yaml, such as [\"./build.sh\"]", e)
	}
	program := e.Argv[0]
	if strings.Contains(program, "/") && !filepath.IsAbs(program) {
		program = filepath.Join(e.Root, program)
		if !filepath.IsAbs(program) { // keep the slash: it is not to be looked up in PATH
			program = "./" + program
		}
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("%s: no program to run at %s: %w: correct its `command` in pipeline.yaml", e, program, bare(err))
	}
	return filepath.Abs(path)
}

// bare is err without the program's name, which the message has already.
func bare(err error) error {
	if e := (*exec.Error)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}
