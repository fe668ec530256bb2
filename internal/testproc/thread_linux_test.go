package testproc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A child does not end with the thread of the goroutine that started it, which ends when that goroutine is locked to
// it.
func TestChildrenOutliveAThread(t *testing.T) {
	cat := exec.Command("cat")
	in, err := cat.StdinPipe()
	require.NoError(t, err)
	out, err := cat.StdoutPipe()
	require.NoError(t, err)
	thread, started, done := make(chan int), make(chan error, 1), make(chan struct{})
	defer close(done)
	start := func() {
		runtime.LockOSThread()
		if unix.Gettid() == os.Getpid() { // the first thread of a process never ends: it is held, and another one taken
			defer runtime.UnlockOSThread()
			thread <- 0
			<-done
			return
		}
		started <- Start(cat)
		thread <- unix.Gettid()
	}
	tid := 0
	for tid == 0 {
		go start()
		tid = <-thread
	}
	require.NoError(t, <-started)
	ended := fmt.Sprintf("/proc/self/task/%d", tid)
	require.Eventually(t, func() bool {
		_, err := os.Stat(ended)
		return errors.Is(err, fs.ErrNotExist)
	}, patience, time.Millisecond)
	_, err = in.Write([]byte("here"))
	require.NoError(t, err)
	answer := make([]byte, 4)
	_, err = out.Read(answer)
	require.NoError(t, err)
	require.Equal(t, "here", string(answer))
	require.NoError(t, in.Close())
	require.NoError(t, cat.Wait())
}
