//go:build unix && !linux

package testproc

import "syscall"

// dieWithParent does nothing: the process group is all that there is.
func dieWithParent(*syscall.SysProcAttr) {}
