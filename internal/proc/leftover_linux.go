package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// EndLeftovers kills every process that has the given KEY=value in the
// environment it was started with, but for this one and those it comes from,
// and waits until they are gone. It returns how many there were.
//
// A run that is killed takes its stages' leaders with it, not their children:
// those would go on writing in a workspace that the next run uses.
func EndLeftovers(variable string) (int, error) {
	own := ancestors()
	found := map[int]bool{}
	for until := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		alive := with(variable, own)
		if len(alive) == 0 {
			return len(found), nil
		}
		for _, pid := range alive {
			found[pid] = true
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return len(found), fmt.Errorf("process %d is left of an earlier run and cannot be killed: %w", pid, err)
			}
		}
		if time.Now().After(until) {
			return len(found), fmt.Errorf("processes %v are left of an earlier run and do not end", alive)
		}
	}
}

// with are the processes with a variable in their environment that have not
// ended. One that only waits to be collected has no environment any more.
func with(variable string, except map[int]bool) []int {
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is sound
	var out []int
	for _, file := range files {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil || except[pid] {
			continue
		}
		if hasInEnvironment(pid, variable) {
			out = append(out, pid)
		}
	}
	return out
}

// ancestors are this process and those it comes from.
func ancestors() map[int]bool {
	out := map[int]bool{}
	for pid := os.Getpid(); pid > 1 && !out[pid]; {
		out[pid] = true
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		at := bytes.LastIndexByte(stat, ')')
		if err != nil || at < 0 {
			break
		}
		fields := bytes.Fields(stat[at+1:])
		if len(fields) < 2 {
			break
		}
		if pid, err = strconv.Atoi(string(fields[1])); err != nil {
			break
		}
	}
	return out
}

// hasInEnvironment tells whether a process was started with KEY=value. One that
// is gone, or somebody else's, was not.
func hasInEnvironment(pid int, variable string) bool {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false
	}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if string(entry) == variable {
			return true
		}
	}
	return false
}
