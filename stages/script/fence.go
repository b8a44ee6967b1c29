package script

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/taskpipeline/pipeline/internal/proc"
	"github.com/taskpipeline/pipeline/tasks"
)

// maxFence is what Linux takes as one argument of a process, with room for ours.
const maxFence = 128<<10 - 1<<10

// reported is the line that tells which command of a fence has failed.
var reported = regexp.MustCompile(`(?m)^pipeline: line (\d+): (.+)$`)

// ready reports why a fence cannot be run, if so.
func ready(fence tasks.Script) error {
	if len(fence.Text) > maxFence {
		return fmt.Errorf("a fence of %d bytes is too long to run, at most %d are possible: put it into a file and call that", len(fence.Text), maxFence)
	}
	if _, err := exec.LookPath(shell(fence)); err != nil {
		return fmt.Errorf("no program %s in PATH to run the fence: install it, or mark the fence `sh`", shell(fence))
	}
	return nil
}

func shell(fence tasks.Script) string {
	if fence.Lang == "sh" {
		return "sh"
	}
	return "bash"
}

// argv runs the fence. The report stands before the first command, on its
// line, so that lines keep their numbers; it is silent after `set +e`.
func argv(fence tasks.Script) []string {
	if shell(fence) == "sh" {
		return []string{"sh", "-eu", "-c", fence.Text}
	}
	report := fmt.Sprintf(`trap 'case $- in *e*) printf "pipeline: line %%d: %%s\n" "$((LINENO + %d))" "$BASH_COMMAND" >&2 ;; esac' ERR; `, fence.Line)
	return []string{"bash", "-Eeu", "-o", "pipefail", "-c", report + fence.Text}
}

// failedCommand is the command with which a fence failed, and its line in the
// TASK file: what the shell reported last or, without a report, the fence.
func failedCommand(fence tasks.Script, output []byte) (line int, command string) {
	all := reported.FindAllSubmatch(output, -1)
	if len(all) == 0 {
		return fence.Line, title(fence)
	}
	last := all[len(all)-1]
	line, err := strconv.Atoi(string(last[1]))
	if err != nil || line <= fence.Line || line > fence.Line+strings.Count(fence.Text, "\n")+1 {
		line = fence.Line // printed by somebody else
	}
	return line, short(string(last[2]))
}

// title is the first command of a fence, with a mark if there are more.
func title(fence tasks.Script) string {
	commands := commands(fence)
	switch len(commands) {
	case 0:
		return "(empty)"
	case 1:
		return short(commands[0])
	}
	return short(commands[0]) + " …"
}

// commands are the lines of a fence without comments and blank ones.
func commands(fence tasks.Script) []string {
	var lines []string
	for line := range strings.Lines(fence.Text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// short is one line that fits into a heading.
func short(command string) string {
	const limit = 100
	line := proc.Tail(bytes.TrimSpace([]byte(command)), 1, 4*limit)
	if runes := []rune(line); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return line
}
