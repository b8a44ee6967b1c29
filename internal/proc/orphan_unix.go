//go:build unix && !linux

package proc

import "syscall"

// dieWithUs does nothing: only Linux has a signal for it.
func dieWithUs(*syscall.SysProcAttr) {}
