package platform

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A command ends with all that it has started, and takes no more memory than it may.
func TestCommandsAreBounded(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", "sleep 60 & echo begun; wait")
	EndTogether(cmd)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	begun := make([]byte, 6)
	_, err = io.ReadFull(out, begun)
	require.NoError(t, err)
	require.NoError(t, LimitMemory(cmd.Process.Pid, 1<<30))
	KillTogether(cmd)
	_, err = io.ReadAll(out) // which sleep holds open as long as it lives
	require.NoError(t, err)
	require.Error(t, cmd.Wait())
	require.ErrorContains(t, LimitMemory(1<<30, 1<<30), "limit the memory of process")
}

func TestFreeSpace(t *testing.T) {
	free, total, err := FreeSpace(t.TempDir())
	require.NoError(t, err)
	require.Positive(t, total)
	require.LessOrEqual(t, free, total)
	_, _, err = FreeSpace("/nowhere")
	require.Error(t, err)
}

// Each thread of a process that asks for it has the lowest priority, those that are made later as well.
func TestLowestPriority(t *testing.T) {
	const child = "CROUPIER_LOWEST_PRIORITY"
	if os.Getenv(child) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLowestPriority$")
		cmd.Env = append(os.Environ(), child+"=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return
	}
	require.NoError(t, LowestPriority())
	for range 8 { // each has a thread of its own
		held, release := make(chan bool), make(chan bool)
		go func() {
			runtime.LockOSThread()
			held <- true
			<-release
		}()
		<-held
		defer close(release)
	}
	threads, err := os.ReadDir("/proc/self/task")
	require.NoError(t, err)
	require.Greater(t, len(threads), 8)
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		require.NoError(t, err)
		attr, err := unix.SchedGetAttr(id, 0)
		require.NoError(t, err)
		require.EqualValues(t, unix.SCHED_IDLE, attr.Policy, thread.Name())
	}
}

func TestIdleTime(t *testing.T) {
	idle, known := IdleTime()
	require.True(t, known)
	require.Positive(t, idle)
}
