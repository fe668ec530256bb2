package netns

import (
	"fmt"
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	if err := Own(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func TestOwn(t *testing.T) {
	if os.Geteuid() != 0 {
		require.Empty(t, os.Getenv(inside), "only root may have a network of its own")
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
