package platform

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestReaderGone(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer w.Close()
	require.NoError(t, r.Close())
	_, err = w.WriteString("nobody reads this")
	require.True(t, IsReaderGone(err), "%v", err)
	require.False(t, IsReaderGone(io.ErrShortWrite))
	require.False(t, IsReaderGone(nil))
}

func TestAddressInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	_, err = net.Listen("tcp", taken.Addr().String())
	require.True(t, IsAddressInUse(err), "%v", err)
	_, err = net.Listen("tcp", "127.0.0.1:-1")
	require.Error(t, err)
	require.False(t, IsAddressInUse(err), "%v", err)
}

func TestSyncDir(t *testing.T) {
	require.NoError(t, SyncDir(t.TempDir()))
	if runtime.GOOS != "windows" {
		require.ErrorIs(t, SyncDir(filepath.Join(t.TempDir(), "none")), os.ErrNotExist)
	}
}

// A thread that computes takes processor time, though never more than all processors have.
func TestProcessorTime(t *testing.T) {
	began, before := time.Now(), ProcessorTime()
	for ProcessorTime() < before+20*time.Millisecond {
		require.Less(t, time.Since(began), 10*time.Second, "the clock stands still")
	}
	most := time.Since(began) * time.Duration(runtime.NumCPU())
	require.LessOrEqual(t, ProcessorTime()-before, most+100*time.Millisecond)
}
