// Package netns keeps a test process off the machine's network.
package netns

import (
	"errors"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// inside marks the process, and all that it starts, as being in a network of its own.
const inside = "CROUPIER_TESTS_NETNS"

// Own starts this process again in a network namespace that has the loopback device alone, if it may have one (as
// root it may, unless a container forbids it). What it then does to devices and addresses is not seen outside, where
// it would be felt: Chromium gives up whatever it is loading, from 127.0.0.1 too, when the machine's addresses change
// (ERR_NETWORK_CHANGED), and other tests look at pages at the same time. Call it first in TestMain.
func Own() error {
	if os.Getenv(inside) != "" {
		return nil
	}
	binary, err := os.Executable()
	if err != nil {
		return err
	}
	runtime.LockOSThread() // the namespace is the thread's until exec makes it the process's
	defer runtime.UnlockOSThread()
	switch err := unix.Unshare(unix.CLONE_NEWNET); {
	case errors.Is(err, unix.EPERM):
		return nil // nor can it do anything to the network that it shares
	case err != nil:
		return os.NewSyscallError("unshare", err)
	}
	if err := raiseLoopback(); err != nil {
		return err
	}
	return os.NewSyscallError("execve", syscall.Exec(binary, os.Args, append(os.Environ(), inside+"=1")))
}

// raiseLoopback brings up the loopback device of this thread's namespace.
func raiseLoopback() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer unix.Close(socket)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP)
	return os.NewSyscallError("ioctl", unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request))
}
