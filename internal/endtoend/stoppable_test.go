package endtoend

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"
)

// stoppable is the binary that can be stopped at a named point, built when the
// first test wants it.
var stoppable = sync.OnceValues(func() (string, error) {
	path := program + "-stoppable"
	out, err := exec.Command("go", "build", "-tags", "crashpoints", "-o", path, "github.com/taskpipeline/pipeline/cmd/pipeline").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, err
})

// stop is a passing of a point.
type stop struct {
	point string
	pass  int // from 1
}

func (s stop) String() string { return fmt.Sprintf("%s:%d", s.point, s.pass) }

// killedAt runs the program and has it killed there.
func (p *place) killedAt(s stop) doing {
	return func(args ...string) result { return p.stoppable("PIPELINE_CRASH_AT="+s.String(), args...) }
}

// fullAt runs the program and has the disk full from there on. It wants to be told.
func (p *place) fullAt(s stop) doing {
	return func(args ...string) result {
		p.Helper()
		r := p.stoppable("PIPELINE_CRASH_FAIL="+s.String(), args...)
		if r.code != done && r.code != waits {
			require.Contains(p, r.stderr, "no space left on device")
		}
		return r
	}
}

// stoppable runs the stoppable binary with one more variable.
func (p *place) stoppable(variable string, args ...string) result {
	p.Helper()
	binary, err := stoppable()
	require.NoError(p, err)
	cmd := p.start(binary, args...)
	cmd.Env = append(cmd.Env, variable)
	return p.wait(cmd)
}

// passed counts how often one process passed each point, from the list that it
// wrote.
func passed(p *place, list string) map[string]int {
	p.Helper()
	b, err := os.ReadFile(list)
	require.NoError(p, err)
	count := map[string]int{}
	for line := range strings.Lines(string(b)) {
		count[strings.TrimSuffix(line, "\n")]++
	}
	return count
}

// listing runs the stoppable binary undisturbed and returns which points it
// passed how often.
func (p *place) listing(args ...string) (result, map[string]int) {
	p.Helper()
	list := filepath.Join(p.TempDir(), "list")
	r := p.stoppable("PIPELINE_CRASH_LIST="+list, args...)
	return r, passed(p, list)
}
