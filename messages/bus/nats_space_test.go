package bus_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"croupier/internal/space"
	"croupier/messages/bus"
	"croupier/messages/bus/broker"
)

// A broker whose disk is nearly full refuses what is stored on disk before a stream is frozen by an error of
// the file system. A publisher waits, and continues by itself when there is room again, without a
// restart of the broker.
func TestDiskNearlyFull(t *testing.T) {
	t.Parallel()
	const limit = 64 << 20
	var free atomic.Uint64
	free.Store(2 * limit)
	b := startBroker(t, broker.Options{Space: space.Config{
		MinFreeBytes: limit, Read: func(string) (uint64, uint64, error) { return free.Load(), 1 << 40, nil },
	}})
	c := connect(t, bus.NATSOptions{InProcess: b, Role: "test"})
	conn, err := nats.Connect("", nats.InProcessServer(b))
	require.NoError(t, err)
	defer conn.Close()
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	become := func(room uint64, full, takes bool) {
		free.Store(room)
		soon(t, "the limits follow the level", func() bool {
			account, err := js.AccountInfo(t.Context())
			require.NoError(t, err)
			return (b.Room() != nil) == full && (account.Limits.MaxStore != 0) == takes
		})
	}
	// refused waits until a publication to the subject is tried again: the one before was refused.
	refused := func(subject string) func() {
		tried, err := conn.SubscribeSync(subject)
		require.NoError(t, err)
		require.NoError(t, conn.Flush())
		return func() {
			for range 2 {
				_, err := tried.NextMsg(30 * time.Second)
				require.NoError(t, err)
			}
		}
	}
	require.NoError(t, c.Publish(t.Context(), bus.Results, "m1.a", []byte("x")))
	become(limit-1, true, true)
	require.NoError(t, c.Publish(t.Context(), bus.Results, "m2.a", []byte("x")), "there is room for what must not be lost")

	become(limit/2-1, true, false)
	short, cancel := context.WithCancel(t.Context())
	again := refused("croupier.test.results.m3.a")
	go func() { again(); cancel() }()
	require.ErrorContains(t, c.Publish(short, bus.Results, "m3.a", []byte("x")), "resource limits exceeded")
	require.NoError(t, c.Publish(t.Context(), bus.Experience, "a", []byte("x")), "it is in memory")
	_, err = c.Roles().Put(t.Context(), "learner.a", []byte("x"))
	require.NoError(t, err)
	require.NoError(t, b.Healthy(), "nothing is broken")
	waiting := make(chan error, 2)
	result, piece := refused("croupier.test.results.m4.a"), refused("$O.CROUPIER_test_OBJECTS.C.*")
	go func() { waiting <- c.Publish(t.Context(), bus.Results, "m4.a", []byte("x")) }()
	go func() { waiting <- c.PutObject(t.Context(), "weights", make([]byte, 1<<20)) }()
	result()
	piece()
	require.Empty(t, waiting)

	become(2*limit, false, true)
	require.NoError(t, <-waiting)
	require.NoError(t, <-waiting)
	data, err := c.GetObject(t.Context(), "weights")
	require.NoError(t, err)
	require.Len(t, data, 1<<20)
	info, err := c.Info(t.Context(), bus.Results)
	require.NoError(t, err)
	require.EqualValues(t, 3, info.Last)
}

// The error of a run that cannot begin says that the broker's disk is full.
func TestABrokerWithoutRoomForStreamsIsReported(t *testing.T) {
	t.Parallel()
	b := startBroker(t, broker.Options{Space: space.Config{
		MinFreeBytes: 64 << 20, Read: func(string) (uint64, uint64, error) { return 0, 1 << 40, nil },
	}})
	_, err := bus.Connect(t.Context(), bus.NATSOptions{InProcess: b, Run: "test", Create: true, Log: quiet})
	require.ErrorContains(t, err, "the disk of the broker is full, or nearly")
}
