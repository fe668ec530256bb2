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

// A child does not end with the thread of the goroutine that started it, which ends when that goroutine is locked to it.
func TestChildrenOutliveAThread(t *testing.T) {
	cat := exec.Command("cat")
	in, err := cat.StdinPipe()
	require.NoError(t, err)
	out, err := cat.StdoutPipe()
	require.NoError(t, err)
	thread, started := make(chan int), make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		started <- Start(cat)
		thread <- unix.Gettid()
	}()
	ended := fmt.Sprintf("/proc/self/task/%d", <-thread)
	require.NoError(t, <-started)
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
