package reach

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplit(t *testing.T) {
	host, port, err := Split("[::1]:8080")
	require.NoError(t, err)
	require.Equal(t, "::1", host)
	require.Equal(t, 8080, port)
	for address, want := range map[string]string{
		"8080": "HOST:PORT", "1.2.3.4": "HOST:PORT", "[::1": "HOST:PORT", "a:b:c": "HOST:PORT", "": "HOST:PORT",
		":x": `the port "x"`, "localhost:-1": `the port "-1"`, "localhost:65536": `the port "65536"`, "localhost:": `the port ""`,
	} {
		_, _, err := Split(address)
		require.ErrorContains(t, err, want, address)
		_, err = Listen(address)
		require.ErrorContains(t, err, want, address)
	}
}

func TestListen(t *testing.T) {
	listener, err := Listen("127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	_, err = Listen(listener.Addr().String())
	require.ErrorContains(t, err, "in use")
}
