// Package testport finds the addresses at which a test's programs will listen.
package testport

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"testing"
)

// Ports are handed out below those that a system gives to outgoing connections and to listeners at port 0 (Linux from
// 32,768, others from 49,152), one of which could have a port before the test's program listens at it.
const (
	first = 10_000
	after = 32_000
)

// Free returns an address of loopback, HOST:PORT, at which no program listens, and keeps its port for the test: until
// the test ends, no other call returns it, in this process or in another one.
func Free(t testing.TB) string {
	t.Helper()
	address, kept, err := Take()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kept.Close() })
	return address
}

// Take is Free for a process that is no test: it has the port until it closes kept or ends.
func Take() (address string, kept io.Closer, err error) {
	for range 1000 {
		address = fmt.Sprintf("127.0.0.1:%d", first+rand.IntN(after-first))
		// The UDP port of the number says that it is taken. No other program here listens at UDP, and a process that dies
		// lets it go.
		if kept, err = net.ListenPacket("udp", address); err != nil {
			continue
		}
		var listener net.Listener
		if listener, err = net.Listen("tcp", address); err == nil {
			return address, kept, listener.Close()
		}
		kept.Close()
	}
	return "", nil, fmt.Errorf("no free port on loopback: %w", err)
}
