package bus_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/internal/space"
	"croupier/messages/bus"
	"croupier/messages/bus/broker"
)

// A broker whose disk is nearly full refuses what goes on disk before a stream is frozen by an error of
// the file system. Whoever publishes waits, and goes on by itself when there is room again, without a
// restart of the broker.
func TestDiskNearlyFull(t *testing.T) {
	const limit = 64 << 20
	var free atomic.Uint64
	free.Store(2 * limit)
	b := startBroker(t, broker.Options{Space: space.Config{
		MinFreeBytes: limit, Read: func(string) (uint64, uint64, error) { return free.Load(), 1 << 40, nil },
	}})
	c := connect(t, bus.NATSOptions{InProcess: b, Role: "test"})
	become := func(room uint64, full bool) {
		free.Store(room)
		require.Eventually(t, func() bool { return (b.Room() != nil) == full }, 20*time.Second, time.Millisecond)
		time.Sleep(2 * space.Period) // the limits follow the level
	}
	require.NoError(t, c.Publish(t.Context(), bus.Results, "m1.a", []byte("x")))
	become(limit-1, true)
	require.NoError(t, c.Publish(t.Context(), bus.Results, "m2.a", []byte("x")), "there is room for what must not be lost")

	become(limit/2-1, true)
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	require.ErrorContains(t, c.Publish(short, bus.Results, "m3.a", []byte("x")), "resource limits exceeded")
	require.NoError(t, c.Publish(t.Context(), bus.Experience, "a", []byte("x")), "it is in memory")
	_, err := c.Roles().Put(t.Context(), "learner.a", []byte("x"))
	require.NoError(t, err)
	require.NoError(t, b.Healthy(), "nothing is broken")
	waiting := make(chan error, 2)
	go func() { waiting <- c.Publish(t.Context(), bus.Results, "m4.a", []byte("x")) }()
	go func() { waiting <- c.PutObject(t.Context(), "weights", make([]byte, 1<<20)) }()
	time.Sleep(time.Second)
	require.Empty(t, waiting)

	become(2*limit, false)
	require.NoError(t, <-waiting)
	require.NoError(t, <-waiting)
	data, err := c.GetObject(t.Context(), "weights")
	require.NoError(t, err)
	require.Len(t, data, 1<<20)
	info, err := c.Info(t.Context(), bus.Results)
	require.NoError(t, err)
	require.EqualValues(t, 3, info.Last)
}
