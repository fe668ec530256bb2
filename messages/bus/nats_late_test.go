package bus_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"croupier/messages/bus"
	"croupier/messages/bus/broker"
	"croupier/messages/bus/bustest"
)

// lagging connects to a broker of this process. What the broker says arrives only while the lock is free.
type lagging struct {
	nats.InProcessConnProvider
	sync.Mutex
}

func (l *lagging) InProcessConn() (net.Conn, error) {
	conn, err := l.InProcessConnProvider.InProcessConn()
	return &laggingConn{conn, l}, err
}

type laggingConn struct {
	net.Conn
	lag *lagging
}

func (c *laggingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.lag.Lock()
	defer c.lag.Unlock()
	return n, err
}

// TestAnswersThatComeLateAreTaken has the answer to a request come after the time of its fetch, and longer after than
// package jetstream listens. It is for the next fetch, and not only once its lease has run out, which takes half a
// minute in a run: so long would a training stand still whose messages are awaited one by one.
func TestAnswersThatComeLateAreTaken(t *testing.T) {
	t.Parallel()
	server := startBroker(t, broker.Options{})
	limits := bustest.Limits()
	limits.Lease, limits.MatchLease = time.Hour, time.Hour
	near := connect(t, bus.NATSOptions{InProcess: server, Limits: limits})
	link := &lagging{InProcessConnProvider: server}
	far := connect(t, bus.NATSOptions{InProcess: link, Limits: limits})
	consumer, err := far.Consume(t.Context(), bus.Matches, "arena", "")
	require.NoError(t, err)
	for i := range 3 {
		require.NoError(t, near.Publish(t.Context(), bus.Matches, fmt.Sprintf("m-%d", i), nil))
	}
	link.Lock()
	got, err := consumer.Fetch(t.Context(), 3, 1500*time.Millisecond)
	link.Unlock()
	require.NoError(t, err)
	require.Empty(t, got)
	for next := 0; next < 3; {
		got, err := consumer.Fetch(t.Context(), 3, 20*time.Second)
		require.NoError(t, err)
		require.NotEmpty(t, got, "nothing after %d messages", next)
		for _, m := range got {
			require.Equal(t, fmt.Sprintf("m-%d", next), m.Subject())
			require.Equal(t, 1, m.Deliveries())
			next++
		}
	}
}

// TestWithoutAConnectionThatIsTheReason: what fails while the broker is away says so, and nothing of a buffer.
func TestWithoutAConnectionThatIsTheReason(t *testing.T) {
	t.Parallel()
	process := startProcess(t)
	b := connect(t, bus.NATSOptions{URL: process.url})
	process.kill()
	soon(t, "there is no connection", func() bool { return !b.Connected() })
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := b.State().Get(short, "key")
	require.ErrorContains(t, err, "nats: server is disconnected")
	require.ErrorContains(t, b.Send(t.Context(), "subject", nil), "nats: server is disconnected")
}
