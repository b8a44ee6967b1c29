//go:build crashpoints

package crash

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// At kills the own process if the point is the chosen one.
func At(words ...string) {
	name := named(words)
	if w := watched(); w.pass(name) == w.killAt.pass && name == w.killAt.name {
		kill()
	}
}

// Around is the point "before …", and returns the point "after …".
func Around(words ...string) func() {
	name := named(words)
	At("before", name)
	return func() { At("after", name) }
}

// Full is ENOSPC if the point is the chosen one.
func Full(words ...string) error {
	name := "full " + named(words)
	if w := watched(); w.pass(name) >= w.failAt.pass && name == w.failAt.name {
		return fmt.Errorf("%s: %w", name, syscall.ENOSPC)
	}
	return nil
}

// named is the name of a point.
func named(words []string) string {
	name := strings.Join(words, " ")
	if digit := strings.IndexAny(name, "0123456789"); digit >= 0 {
		name = strings.TrimRight(name[:digit], " -.")
	}
	return name
}

// kill ends the process as the kernel would for want of memory: nothing is
// flushed, no deferred call runs.
func kill() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}
