package platform

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// EndTogether makes a command that is not yet started, and what it starts, a group that
// [KillTogether] ends. On Linux the command also ends with the thread that starts it, and so with
// this process, however that ends.
func EndTogether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// OnItsOwn makes a command that is not yet started a group of its own, so that a terminal's Ctrl-C is for this process
// alone. On Linux the command is asked to end when the thread that starts it, and so this process, has ended.
func OnItsOwn(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

// duplicate makes a descriptor another name of an open file.
func duplicate(file, as int) error { return unix.Dup3(file, as, 0) }

// LimitMemory bounds the address space of a process, in bytes.
func LimitMemory(pid int, bytes uint64) error {
	limit := unix.Rlimit{Cur: bytes, Max: bytes}
	if err := unix.Prlimit(pid, unix.RLIMIT_AS, &limit, nil); err != nil {
		return fmt.Errorf("limit the memory of process %d: %w", pid, err)
	}
	return nil
}

// AwaitExit returns when a started command has ended. Its number stays its own until its Wait method has returned.
func AwaitExit(cmd *exec.Cmd) {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
