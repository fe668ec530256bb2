package netns

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	if err := Own(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func TestOwn(t *testing.T) {
	if os.Getenv(inside) == "" {
		runtime.LockOSThread() // for good: a thread that had a namespace of its own would be of no use
		require.ErrorIs(t, unix.Unshare(unix.CLONE_NEWNET), unix.EPERM)
		return
	}
	devices, err := net.Interfaces()
	require.NoError(t, err)
	require.Len(t, devices, 1)
	require.NotZero(t, devices[0].Flags&net.FlagLoopback)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err, "loopback is up")
	defer listener.Close()
	connection, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	require.NoError(t, connection.Close())
}
