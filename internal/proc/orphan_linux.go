package proc

import "syscall"

// dieWithUs has the kernel kill the process when we die. Otherwise, after a
// kill -9, it would go on writing in a workspace that the next run uses.
func dieWithUs(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
