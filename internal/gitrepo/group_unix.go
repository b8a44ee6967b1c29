//go:build unix

package gitrepo

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps Ctrl-C in the terminal away from git: a landing is finished,
// not cut off, and the caller's context decides about everything else.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
