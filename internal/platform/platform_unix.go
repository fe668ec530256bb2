//go:build unix

package platform

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// SurviveFileLimit makes a write to a file that may not grow any further (ulimit -f)
// fail with an error; without it, the signal SIGXFSZ ends the process.
func SurviveFileLimit() { signal.Ignore(unix.SIGXFSZ) }

// SurviveReaders makes a write to standard output or error whose reader is gone fail with an error; without it, the
// signal SIGPIPE ends the process. Programs that this one starts are not told to ignore it.
func SurviveReaders() { signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE) }

// LeadNowhere has what is written to descriptors vanish. Writes to a terminal that is gone would fail.
func LeadNowhere(descriptors []int) {
	nowhere, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return // the writes fail
	}
	defer nowhere.Close()
	for _, fd := range descriptors {
		_ = duplicate(int(nowhere.Fd()), fd) // the writes fail otherwise
	}
}

// IsReaderGone reports whether a write failed because no process reads the other end of the
// pipe any more, as when the output goes to head.
func IsReaderGone(err error) bool { return errors.Is(err, syscall.EPIPE) }

// IsAddressInUse reports whether a listener failed because its port is taken.
func IsAddressInUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }

// SyncDir makes what was created, renamed or removed in the directory survive a crash
// of the machine.
func SyncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

// KeepOwner gives a file the owner and the group of another one, or at least the group, as far as this process may.
func KeepOwner(f *os.File, of fs.FileInfo) {
	was, ok := of.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	if f.Chown(int(was.Uid), int(was.Gid)) != nil {
		_ = f.Chown(-1, int(was.Gid))
	}
}

// IsPrivate reports whether no other user, except the machine's administrator, can change the folder or put another
// one in its place.
func IsPrivate(folder string) bool {
	path, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return false
	}
	if path, err = filepath.Abs(path); err != nil {
		return false
	}
	for at := path; ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil || !info.IsDir() || !isPrivate(info, at == path) {
			return false
		}
		if at == filepath.Dir(at) {
			return true
		}
	}
}

// isPrivate is about one folder. What is in it may be somebody else's if it is shared as /tmp is, but not the last one.
func isPrivate(info fs.FileInfo, last bool) bool {
	is, ok := info.Sys().(*syscall.Stat_t)
	if !ok || is.Uid != 0 && int(is.Uid) != os.Geteuid() {
		return false
	}
	return info.Mode().Perm()&0o022 == 0 || !last && info.Mode()&fs.ModeSticky != 0
}

// FreeSpace returns the bytes that this user can still write to the file system that holds path, and
// its size.
func FreeSpace(path string) (free, total uint64, err error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return 0, 0, err
	}
	return uint64(fs.Bavail) * uint64(fs.Bsize), uint64(fs.Blocks) * uint64(fs.Bsize), nil
}

// ProcessorTime is the processor time, in user and kernel mode, that all threads of
// the process have taken so far.
func ProcessorTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		panic("platform: getrusage: " + err.Error()) // it has no cause to fail
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// AskToEnd asks a started command of [OnItsOwn] to end in order.
func AskToEnd(cmd *exec.Cmd) error { return cmd.Process.Signal(syscall.SIGTERM) }

// KillTogether ends a started command of [EndTogether] with all it has started.
func KillTogether(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
