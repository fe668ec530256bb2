package supervise

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"croupier/internal/platform"
)

// name is the argument 0 of a supervisor. Its other arguments are the limit of memory, the path of the program, and
// the program's arguments from 0.
const name = "croupier-supervisor"

// hooked reports that this program turns into a supervisor where it is started as one.
var hooked bool

// Main belongs first in main. In the process of a supervisor it does not return.
func Main() {
	if os.Args[0] != name {
		hooked = true
		return
	}
	runtime.LockOSThread() // the program ends with the thread that starts it
	status, err := supervise(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(status)
}

// hand gives a command to a supervisor and reports whether there can be one. The supervisor is asked to end when this
// process has ended.
func hand(cmd *exec.Cmd, memory uint64) bool {
	if !hooked {
		return false
	}
	cmd.Args = append([]string{name, strconv.FormatUint(memory, 10), cmd.Path}, cmd.Args...)
	cmd.Path = "/proc/self/exe" // also where a newer program has taken its place
	cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
	return true
}

// Exit statuses of a supervisor without a program, as of a shell.
const (
	wrongUse   = 2
	notStarted = 127
)

// errNoSupervisor is for calls of a supervisor that are not by this package.
var errNoSupervisor = errors.New("a supervisor is started by croupier itself")

// supervise runs a program until it ends or a signal asks for its end. It returns the program's exit status.
func supervise(args []string) (int, error) {
	if len(args) < 3 {
		return wrongUse, errNoSupervisor
	}
	memory, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil {
		return wrongUse, errNoSupervisor
	}
	asked, exits := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(asked, unix.SIGTERM)
	signal.Notify(exits, unix.SIGCHLD)
	// What loses its parent becomes a child of this process.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return notStarted, fmt.Errorf("adopt processes: %w", err)
	}
	program, err := os.StartProcess(args[1], args[2:], &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return notStarted, err
	}
	// The program alone holds its input and output, so that their ends are seen when it closes them.
	_ = os.Stdin.Close()
	_ = os.Stdout.Close()
	f := &family{program: program.Pid, exits: exits}
	if memory > 0 {
		err = platform.LimitMemory(program.Pid, memory)
	}
	for err == nil && !f.over {
		select {
		case <-exits:
			f.reap()
		case <-asked:
			err = errAsked
		}
	}
	f.end()
	if errors.Is(err, errAsked) {
		err = nil
	}
	return f.exitStatus(), err
}

// errAsked ends the wait for a program.
var errAsked = errors.New("signal received; stopping")

// family is a program and all that descends from it.
type family struct {
	program int // its number
	exits   <-chan os.Signal
	over    bool // the program has ended
	status  unix.WaitStatus
}

// reap takes note of the children that have ended. Nothing else does, so that the numbers of the others stay theirs.
func (f *family) reap() {
	for {
		var status unix.WaitStatus
		switch pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil); {
		case errors.Is(err, unix.EINTR):
		case pid <= 0:
			return
		case pid == f.program:
			f.over, f.status = true, status
		}
	}
}

// end kills all children, again and again, as the children of each are adopted when it ends.
func (f *family) end() {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		f.reap()
		list := children()
		if len(list) == 0 {
			return
		}
		for _, pid := range list {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		select {
		case <-f.exits:
		case <-time.After(patience / 20):
		}
	}
}

// exitStatus is that of the program, and as in a shell 128 and its number for a signal that ended it.
func (f *family) exitStatus() int {
	switch {
	case f.status.Signaled():
		return 128 + int(f.status.Signal())
	case f.over:
		return f.status.ExitStatus()
	default:
		return 128 + int(unix.SIGKILL)
	}
}

// children returns the numbers of this process's children.
func children() (list []int) {
	entries, _ := os.ReadDir("/proc") // without it there is none to be found
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, err := parentOf(pid); err == nil && parent == os.Getpid() {
			list = append(list, pid)
		}
	}
	return list
}

// parentOf returns the number of a process's parent (proc_pid_stat(5): behind the name in parentheses come state and
// parent).
func parentOf(pid int) (int, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0, errors.New("it has no parent")
	}
	return strconv.Atoi(string(fields[1]))
}
