package bus_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"croupier/messages/bus"
	"croupier/messages/bus/broker"
)

// Half an object, as a reader sees it whose object is being deleted: it must neither
// be taken for the whole nor be waited for any longer than the caller waits.
func TestObjectThatVanishesInMidRead(t *testing.T) {
	t.Parallel()
	server := startBroker(t, broker.Options{Listen: "127.0.0.1:0"})
	b := connect(t, bus.NATSOptions{URL: server.URL()})
	data := bytes.Repeat([]byte("0123456789abcdef"), 300<<10/16) // three chunks
	require.NoError(t, b.PutObject(t.Context(), "live/main/1-ab", data))
	got, err := b.GetObject(t.Context(), "live/main/1-ab")
	require.NoError(t, err)
	require.True(t, bytes.Equal(data, got))

	conn, err := nats.Connect(server.URL())
	require.NoError(t, err)
	defer conn.Close()
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	stream, err := js.Stream(t.Context(), "OBJ_CROUPIER_test_OBJECTS")
	require.NoError(t, err)
	require.NoError(t, stream.Purge(t.Context(), jetstream.WithPurgeSubject("$O.CROUPIER_test_OBJECTS.C.>"),
		jetstream.WithPurgeKeep(1)))

	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	_, err = b.GetObject(ctx, "live/main/1-ab")
	require.ErrorIs(t, err, context.Canceled)

	failed := make(chan error)
	go func() {
		_, err := b.GetObject(t.Context(), "live/main/1-ab")
		failed <- err
	}()
	require.NoError(t, b.DeleteObject(t.Context(), "live/main/1-ab"))
	require.ErrorIs(t, <-failed, bus.ErrNotFound)
}

// TestLeftoversAreRemoved leaves behind what a process does that is killed while it puts or deletes
// an object.
func TestLeftoversAreRemoved(t *testing.T) {
	t.Parallel()
	server := startBroker(t, broker.Options{Listen: "127.0.0.1:0"})
	b := connect(t, bus.NATSOptions{URL: server.URL(), SweepEvery: 100 * time.Millisecond})
	require.NoError(t, b.PutObject(t.Context(), "live/main/1-ab", []byte("weights")))
	_, err := b.State().Put(t.Context(), "ledger.a", []byte("there"))
	require.NoError(t, err)
	_, err = b.State().Put(t.Context(), "ledger.b", []byte("gone"))
	require.NoError(t, err)
	require.NoError(t, b.State().Delete(t.Context(), "ledger.b"))

	conn, err := nats.Connect(server.URL())
	require.NoError(t, err)
	defer conn.Close()
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	objects, err := js.ObjectStore(t.Context(), "CROUPIER_test_OBJECTS")
	require.NoError(t, err)
	_, err = js.Publish(t.Context(), "$O.CROUPIER_test_OBJECTS.C.KILLED", bytes.Repeat([]byte("x"), 1000))
	require.NoError(t, err)
	_, err = objects.PutBytes(t.Context(), "live/main/0-cd", []byte("old weights"))
	require.NoError(t, err)
	require.NoError(t, objects.Delete(t.Context(), "live/main/0-cd"))
	messagesOf := func(name string) uint64 {
		stream, err := js.Stream(t.Context(), name)
		require.NoError(t, err)
		return stream.CachedInfo().State.Msgs
	}
	require.Eventually(t, func() bool {
		return messagesOf("OBJ_CROUPIER_test_OBJECTS") == 2 && messagesOf("KV_CROUPIER_test_STATE") == 1
	}, time.Minute, 20*time.Millisecond)
	data, err := b.GetObject(t.Context(), "live/main/1-ab")
	require.NoError(t, err)
	require.Equal(t, "weights", string(data))
	_, err = b.State().Update(t.Context(), "ledger.b", []byte("back"), 0)
	require.NoError(t, err)
}
