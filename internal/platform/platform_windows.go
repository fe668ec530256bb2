package platform

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// SurviveFileLimit does nothing: Windows limits the size of files by failing writes.
func SurviveFileLimit() {}

// SurviveReaders does nothing: Windows knows no signal for a pipe without a reader.
func SurviveReaders() {}

// LeadNowhere does nothing: Windows ends a process soon after its console.
func LeadNowhere([]int) {}

// IsReaderGone reports whether a write failed because no process reads the other end of the
// pipe any more. Windows reports a pipe that was closed, or one that is closing.
func IsReaderGone(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}

// IsAddressInUse reports whether a listener failed because its port is taken.
func IsAddressInUse(err error) bool { return errors.Is(err, windows.WSAEADDRINUSE) }

// SyncDir does nothing: Windows cannot flush a directory, and NTFS keeps a journal of
// its changes.
func SyncDir(string) error { return nil }

// KeepOwner does nothing: a new file belongs to the user that makes it.
func KeepOwner(*os.File, fs.FileInfo) {}

// IsPrivate says yes: the folders of a user's profile are that user's.
func IsPrivate(string) bool { return true }

// FreeSpace returns the bytes that this user can still write to the file system that holds path, and
// its size.
func FreeSpace(path string) (free, total uint64, err error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, 0, err
	}
	err = windows.GetDiskFreeSpaceEx(name, &free, &total, nil)
	return free, total, err
}

// ProcessorTime is the processor time, in user and kernel mode, that all threads of
// the process have taken so far.
func ProcessorTime() time.Duration {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user); err != nil {
		panic("platform: GetProcessTimes: " + err.Error()) // it has no cause to fail
	}
	return duration(kernel) + duration(user)
}

// duration converts a length of time. (Filetime's own method is for dates: it
// subtracts the years from 1601 to 1970.)
func duration(t windows.Filetime) time.Duration {
	ticks := int64(t.HighDateTime)<<32 | int64(t.LowDateTime)
	return time.Duration(ticks) * 100 * time.Nanosecond
}

// OnItsOwn makes a command that is not yet started a group of its own, so that a console's Ctrl-C is for this process
// alone.
func OnItsOwn(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// AskToEnd asks a started command of [OnItsOwn] to end in order, as Ctrl-Break does.
func AskToEnd(cmd *exec.Cmd) error {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(cmd.Process.Pid))
}

// EndTogether does nothing: Windows knows no groups of processes that end together without a job.
func EndTogether(*exec.Cmd) {}

// KillTogether ends a started command.
func KillTogether(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// LimitMemory bounds the address space of a process, in bytes; only Linux can.
func LimitMemory(int, uint64) error {
	return errors.New("this operating system cannot limit the memory of another process; Linux can")
}

// AwaitExit returns when a started command has ended. Here only its Wait method says so; what it returns is kept for
// the command's ProcessState.
func AwaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }

// LowestPriority has this process run only while nothing else wants the processors.
func LowestPriority() error {
	if err := windows.SetPriorityClass(windows.CurrentProcess(), windows.IDLE_PRIORITY_CLASS); err != nil {
		return fmt.Errorf("lowest priority: %w", err)
	}
	return nil
}
