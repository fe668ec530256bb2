package testport

import (
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Addresses are free and stay a test's own: neither another call nor a listener at port 0 gets one.
func TestFree(t *testing.T) {
	given := map[string]bool{}
	for range 200 {
		address := Free(t)
		require.False(t, given[address], "%s is given twice", address)
		given[address] = true
		listener, err := net.Listen("tcp", address)
		require.NoError(t, err)
		defer listener.Close()
		_, port, err := net.SplitHostPort(address)
		require.NoError(t, err)
		number, err := strconv.Atoi(port)
		require.NoError(t, err)
		require.Less(t, number, 32_768, "a port that the system may give to others")
	}
	for range 200 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer listener.Close()
		require.NotContains(t, given, listener.Addr().String())
	}
}

// A port is given again once its test is over, and only then.
func TestFreeKeepsAPortForItsTest(t *testing.T) {
	var address string
	t.Run("a test", func(t *testing.T) {
		address = Free(t)
		_, err := net.ListenPacket("udp", address)
		require.Error(t, err)
	})
	kept, err := net.ListenPacket("udp", address)
	require.NoError(t, err)
	require.NoError(t, kept.Close())
}
