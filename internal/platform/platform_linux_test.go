package platform

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

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

func TestQuotaOfAControlGroup(t *testing.T) {
	for name, c := range map[string]struct {
		limit, used string
		want        Quota
		limited     bool
	}{
		"half a core":   {"50000 100000\n", "usage_usec 1500000\nuser_usec 1\n", Quota{0.5, 1500 * time.Millisecond}, true},
		"no limit":      {"max 100000\n", "usage_usec 1500000\n", Quota{}, false},
		"another form":  {"50000 100000\n", "user_usec 1\n", Quota{}, false},
		"no such files": {},
	} {
		dir := t.TempDir()
		for file, text := range map[string]string{"cpu.max": c.limit, "cpu.stat": c.used} {
			if text != "" {
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
			}
		}
		q, limited := quotaOf(dir)
		require.Equal(t, c.want, q, name)
		require.Equal(t, c.limited, limited, name)
	}
	for _, q := range Quotas() { // of this machine, if it has any
		require.Positive(t, q.Cores)
	}
}
