//go:build unix && !linux

package platform

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
)

// EndTogether makes a command that is not yet started, and what it starts, a group that
// [KillTogether] ends.
func EndTogether(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// OnItsOwn makes a command that is not yet started a group of its own, so that a terminal's Ctrl-C is for this process
// alone.
func OnItsOwn(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// duplicate makes a descriptor another name of an open file.
func duplicate(file, as int) error { return syscall.Dup2(file, as) }

// LimitMemory bounds the address space of a process, in bytes; only Linux can.
func LimitMemory(int, uint64) error {
	return errors.New("this operating system cannot limit the memory of another process; Linux can")
}

// AwaitExit returns when a started command has ended. Here only its Wait method says so; what it returns is kept for
// the command's ProcessState.
func AwaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }

// LowestPriority has this process run behind all others.
func LowestPriority() error {
	if err := syscall.Setpriority(syscall.PRIO_PROCESS, 0, 20); err != nil {
		return fmt.Errorf("lowest priority: %w", err)
	}
	return nil
}
