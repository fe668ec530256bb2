package learner

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"croupier/engine"
	"croupier/games/kuhn"
	"croupier/learner/train"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/messages/roles"
	"croupier/nn"
)

// BenchmarkIngestion measures, on one core, the way from the bytes of a batch to the
// columns of a rollout.
func BenchmarkIngestion(b *testing.B) {
	for _, game := range []engine.Game{kuhn.Game{}, leducGame(b)} {
		b.Run(game.Spec().Name, func(b *testing.B) {
			bus := memory.New(bus.Options{})
			defer bus.Close()
			o := Options{
				Common: roles.Common{
					Bus: bus, Game: game, Run: testRun, RunSeed: testSeed, Registerer: prometheus.NewRegistry(),
					Log: slog.New(slog.DiscardHandler),
				},
				Layout: testLayout(b, game, nn.Description{}), Config: train.DefaultConfig(), Agent: "main",
			}
			g := testIngestion(b, o, 5)
			x := playingActor(b, o, "actor-1", 5).batch(1000)
			m := fakeMessage{encode(b, x)}
			decisions := 0
			for b.Loop() {
				rolloutOf(g).Reset()
				delete(g.accounts, "actor-1") // as if it had not been there before
				clear(g.workers)
				if err := g.batch(b.Context(), m); err != nil {
					b.Fatal(err)
				}
				decisions += rolloutOf(g).Len()
			}
			b.ReportMetric(float64(decisions)/b.Elapsed().Seconds(), "decisions/s")
		})
	}
}

// fakeMessage is a batch of actor-1.
type fakeMessage struct{ data []byte }

func (m fakeMessage) Data() []byte            { return m.data }
func (fakeMessage) Subject() string           { return "actor-1" }
func (fakeMessage) Sequence() uint64          { return 1 }
func (fakeMessage) Deliveries() int           { return 1 }
func (fakeMessage) Ack(context.Context) error { return nil }
func (fakeMessage) Nak(time.Duration) error   { return nil }
func (fakeMessage) InProgress() error         { return nil }

// BenchmarkFlush measures what a fetch costs next to its batches, with many workers of which one
// has sent a batch.
func BenchmarkFlush(b *testing.B) {
	for _, workers := range []int{100, 10_000} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			bus := memory.New(bus.Options{})
			defer bus.Close()
			o := Options{
				Common: roles.Common{
					Bus: bus, Game: kuhn.Game{}, Run: testRun, RunSeed: testSeed,
					Registerer: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
				},
				Layout: testLayout(b, kuhn.Game{}, nn.Description{}), Config: train.DefaultConfig(),
				Agent: "main",
			}
			g := testIngestion(b, o, 5)
			a := g.open("actor-0-0")
			for i := range workers {
				g.open(fmt.Sprintf("actor-0-%d", i))
			}
			for b.Loop() {
				g.enter(a, a.ledger.Sequence+1, &messages.Ledger{Episodes: 1, Stale: 1})
				if err := g.flush(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
