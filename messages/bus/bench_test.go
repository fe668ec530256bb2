package bus_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages/bus"
	"croupier/messages/bus/broker"
)

// BenchmarkNATS measures the operations of a run on an embedded broker: batches of
// experience from publication to acknowledgement by a consumer, results, heartbeats,
// moved pointers, and a published network of a megabyte.
func BenchmarkNATS(b *testing.B) {
	server, err := broker.Start(broker.Options{Dir: b.TempDir(), SyncAlways: true, Log: quiet})
	require.NoError(b, err)
	defer server.Shutdown()
	conn, err := bus.Connect(b.Context(), bus.NATSOptions{InProcess: server, Run: "bench", Create: true, Log: quiet})
	require.NoError(b, err)
	defer conn.Close()
	ctx := b.Context()

	batch := make([]byte, 64<<10)
	b.Run("experience publish", func(b *testing.B) {
		b.SetBytes(int64(len(batch)))
		for b.Loop() {
			require.NoError(b, conn.Publish(ctx, bus.Experience, "actor", batch))
		}
	})
	b.Run("experience end to end", func(b *testing.B) { benchmarkFlow(b, ctx, conn, batch) })
	count := 0
	b.Run("result", func(b *testing.B) {
		for b.Loop() {
			count++
			require.NoError(b, conn.Publish(ctx, bus.Results, fmt.Sprintf("m%d.a", count), batch[:200]))
		}
	})
	b.Run("state put", func(b *testing.B) {
		for b.Loop() {
			_, err := conn.State().Put(ctx, "agent.main", batch[:100])
			require.NoError(b, err)
		}
	})
	b.Run("role put", func(b *testing.B) {
		for b.Loop() {
			_, err := conn.Roles().Put(ctx, "actor.a", batch[:100])
			require.NoError(b, err)
		}
	})
	b.Run("object 1 MiB", func(b *testing.B) {
		weights := make([]byte, 1<<20)
		for b.Loop() {
			count++
			name := fmt.Sprint("live/main/", count)
			require.NoError(b, conn.PutObject(ctx, name, weights))
			require.NoError(b, conn.DeleteObject(ctx, name))
		}
	})
}

// benchmarkFlow publishes from one goroutine and fetches and acknowledges in another.
func benchmarkFlow(b *testing.B, ctx context.Context, conn bus.Bus, batch []byte) {
	consumer, err := conn.Consume(ctx, bus.Experience, "learner")
	require.NoError(b, err)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for conn.Publish(ctx, bus.Experience, "actor", batch) == nil {
		}
	}()
	b.SetBytes(int64(len(batch)))
	left := 0
	for b.Loop() {
		for left == 0 {
			got, err := consumer.Fetch(ctx, 16, time.Second)
			require.NoError(b, err)
			for _, m := range got {
				require.NoError(b, m.Ack(ctx))
			}
			left = len(got)
		}
		left--
	}
}
