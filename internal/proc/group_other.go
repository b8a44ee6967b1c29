//go:build !unix

package proc

import (
	"os/exec"
	"syscall"
)

// Without process groups only the process itself can be ended, and only hard.

func leadGroup(*exec.Cmd) {}

func terminateGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func groupLives(*exec.Cmd) bool { return false }

func signalName(s syscall.Signal) string { return s.String() }
