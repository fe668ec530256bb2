//go:build unix

package descriptors

import "syscall"

// limit is the soft limit of open files, which the Go runtime raises to the hard one at
// the start of a program.
func limit() int {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return unlimited
	}
	return int(min(uint64(l.Cur), unlimited))
}
