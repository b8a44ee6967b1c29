package proc

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes us the parent of whatever our children leave running, so that it
// can be found.
var adopt = sync.OnceFunc(func() {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // else strays go to init, and are not found
})

// endStrays kills those of our children that have a mark in their environment:
// a process that left its group, with a session of its own, and outlived the
// command that had started it. What these had started themselves comes next.
func endStrays(mark string) {
	own := ancestors()
	for until := time.Now().Add(5 * time.Second); time.Now().Before(until); time.Sleep(time.Millisecond) {
		alive := 0
		for _, pid := range strangers() {
			if own[pid] || !hasInEnvironment(pid, mark) {
				continue
			}
			alive++
			_ = syscall.Kill(pid, syscall.SIGKILL)
			collect(pid)
		}
		if alive == 0 {
			return
		}
	}
}

// strangers are our children that no command under way has started.
func strangers() []int {
	leaders.Lock()
	defer leaders.Unlock()
	return slices.DeleteFunc(children(), func(pid int) bool { return leaders.pids[pid] })
}

// children are the processes whose parent we are.
func children() []int {
	files, _ := filepath.Glob("/proc/self/task/[0-9]*/children") // the pattern is sound
	var out []int
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			continue // a thread that has ended
		}
		for _, word := range strings.Fields(string(b)) {
			if pid, err := strconv.Atoi(word); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}

// collect waits for a child that was killed.
func collect(pid int) {
	for {
		if _, err := syscall.Wait4(pid, nil, 0, nil); !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}
