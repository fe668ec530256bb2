package bus_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"croupier/messages"
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
	consumer, err := conn.Consume(ctx, bus.Experience, "learner", "")
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

// BenchmarkFollow measures one more result from its publication to the reader, by how many there are.
func BenchmarkFollow(b *testing.B) {
	for _, present := range []int{1000, 30_000} {
		b.Run(fmt.Sprintf("present=%d", present), func(b *testing.B) {
			server, err := broker.Start(broker.Options{Dir: b.TempDir(), Log: quiet})
			require.NoError(b, err)
			defer server.Shutdown()
			conn, err := bus.Connect(b.Context(), bus.NATSOptions{InProcess: server, Run: "bench", Create: true, Log: quiet})
			require.NoError(b, err)
			defer conn.Close()
			count := 0
			publish := func() {
				count++
				require.NoError(b, conn.Publish(b.Context(), bus.Results, fmt.Sprintf("m%d.a", count), make([]byte, 200)))
			}
			for range present {
				publish()
			}
			results, err := conn.Read(b.Context(), bus.Results, uint64(present+1))
			require.NoError(b, err)
			require.Nil(b, <-results, "what was there has been read")
			for b.Loop() {
				publish()
				<-results
			}
		})
	}
}

// BenchmarkPermissions measures what a key of its own costs a role (medians): the same operations, in turn, as an
// actor of a broker with a credential set and as a client of one that lets everybody do everything.
func BenchmarkPermissions(b *testing.B) {
	ctx := b.Context()
	set, err := broker.CreateSet(filepath.Join(b.TempDir(), "set"), "bench")
	require.NoError(b, err)
	require.NoError(b, set.Add("actor", messages.ActorRole))
	open := func(o broker.Options, learner, actor string) bus.Bus {
		o.Dir, o.Listen, o.Log = b.TempDir(), "127.0.0.1:0", quiet
		server, err := broker.Start(o)
		require.NoError(b, err)
		b.Cleanup(server.Shutdown)
		var conn bus.Bus
		for _, key := range []string{learner, actor} {
			conn, err = bus.Connect(ctx, bus.NATSOptions{
				URL: server.URL(), Run: "bench", Create: key == learner, Credentials: key, Log: quiet,
			})
			require.NoError(b, err)
			b.Cleanup(func() { conn.Close() })
		}
		_, err = conn.Roles().Put(ctx, "actor.actor", []byte("alive"))
		require.NoError(b, err)
		return conn
	}
	free := open(broker.Options{}, "", "")
	guarded := open(broker.Options{Credentials: filepath.Join(set.Dir, broker.PublicFile)}, set.Seed("learner"),
		set.Seed("actor"))
	batch, count := make([]byte, 64<<10), 0
	for _, operation := range []struct {
		name string
		do   func(conn bus.Bus) error
	}{
		{"experience", func(conn bus.Bus) error { return conn.Publish(ctx, bus.Experience, "actor", batch) }},
		{"result", func(conn bus.Bus) error {
			count++
			return conn.Publish(ctx, bus.Results, fmt.Sprintf("m%d.actor", count), batch[:200])
		}},
		{"heartbeat", func(conn bus.Bus) error {
			_, err := conn.Roles().Put(ctx, "actor.actor", batch[:100])
			return err
		}},
	} {
		b.Run(operation.name, func(b *testing.B) {
			const round = 200 // operations before the other has its turn
			conns, took, rounds := []bus.Bus{free, guarded}, [2][]float64{}, 0
			for b.Loop() {
				for turn := range conns {
					i := (rounds + turn) % 2 // the second one shares the machine with what the first left over
					began := time.Now()
					for range round {
						require.NoError(b, operation.do(conns[i]))
					}
					took[i] = append(took[i], float64(time.Since(began).Nanoseconds())/round)
				}
				rounds++
			}
			for i, unit := range []string{"open-ns/op", "keys-ns/op"} {
				slices.Sort(took[i])
				b.ReportMetric(took[i][len(took[i])/2], unit)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
