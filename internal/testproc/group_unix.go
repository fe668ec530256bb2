//go:build unix

package testproc

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// tie puts the command into the process group that ends with this process.
func tie(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	dieWithParent(cmd.SysProcAttr)
	if cmd.SysProcAttr.Setpgid || cmd.SysProcAttr.Setsid {
		return nil
	}
	leader, err := group()
	if err != nil {
		return fmt.Errorf("the process group of the test's processes: %w", err)
	}
	cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Pgid = true, leader
	return nil
}

// group returns the number of a process group. Its leader waits for the end of a pipe, whose other end this process
// alone has, and then kills the group, itself included. No number can be that of a later process, as the leader
// lives till then.
var group = sync.OnceValues(func() (int, error) {
	in, out, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer in.Close()
	leader := exec.Command("/bin/sh", "-c", "read -r _; kill -KILL 0")
	leader.Stdin = in
	leader.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := leader.Start(); err != nil {
		out.Close()
		return 0, err
	}
	go func() {
		_ = leader.Wait() // nothing ends it before this process does
		_ = out.Close()   // till then the garbage collector leaves it open
	}()
	return leader.Process.Pid, nil
})
