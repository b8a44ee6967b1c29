package proc

import (
	"os/exec"
	"sync"
)

// leaders are the commands under way, by process number. They belong to the
// whole program, as its children do: nobody but who started one may wait for it.
var leaders struct {
	sync.Mutex
	pids map[int]bool
}

// start starts cmd and makes it known as one of the leaders.
func start(cmd *exec.Cmd) error {
	leaders.Lock()
	defer leaders.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	if leaders.pids == nil {
		leaders.pids = map[int]bool{}
	}
	leaders.pids[cmd.Process.Pid] = true
	return nil
}

// collected takes a command that was waited for from the leaders: its number
// may be another process's now.
func collected(cmd *exec.Cmd) {
	leaders.Lock()
	defer leaders.Unlock()
	delete(leaders.pids, cmd.Process.Pid)
}
