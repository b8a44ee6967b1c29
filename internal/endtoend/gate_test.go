package endtoend

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/stretchr/testify/require"
)

// gate stops a stage until the test lets it go on. Both wait for each other, so
// no test has to guess how long something takes.
type gate struct {
	*place
	here, open string
}

// newGate makes a gate outside the repository.
func newGate(p *place) *gate {
	p.Helper()
	dir := p.TempDir()
	g := &gate{p, filepath.Join(dir, "here"), filepath.Join(dir, "open")}
	for _, name := range []string{g.here, g.open} {
		require.NoError(p, syscall.Mkfifo(name, 0o600))
	}
	return g
}

// stop is the shell line at which a stage waits.
func (g *gate) stop() string { return "echo here > '" + g.here + "'; read -r _ < '" + g.open + "'" }

// stopOnce is the shell line at which the first stage that comes waits.
func (g *gate) stopOnce() string { return "if mkdir '" + g.here + ".once'; then " + g.stop() + "; fi" }

// arrival waits until a stage stands at the gate.
func (g *gate) arrival() {
	g.Helper()
	_, err := os.ReadFile(g.here)
	require.NoError(g, err)
}

// letGo lets the stage at the gate go on.
func (g *gate) letGo() {
	g.Helper()
	require.NoError(g, os.WriteFile(g.open, []byte("go\n"), 0o600))
}

// background is the program at work.
type background struct {
	*exec.Cmd
	p           *place
	stdout, err bytes.Buffer
}

// pipelineInBackground starts the program in the repository.
func (p *place) pipelineInBackground(args ...string) *background {
	p.Helper()
	b := &background{Cmd: p.start(program, args...), p: p}
	b.Stdout, b.Stderr = &b.stdout, &b.err
	require.NoError(p, b.Start())
	return b
}

// end waits for the program's end.
func (b *background) end() result {
	_ = b.Wait() // how it ended is in its state
	return result{b.ProcessState.ExitCode(), b.stdout.String(), b.err.String()}
}

// endsWith wants the program to end with code.
func (b *background) endsWith(code int) result {
	b.p.Helper()
	r := b.end()
	require.Equal(b.p, code, r.code, "%s%s", r.stdout, r.stderr)
	return r
}
