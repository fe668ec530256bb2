package testproc

import "syscall"

// dieWithParent has Linux end the process when the thread that starts it ends.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
