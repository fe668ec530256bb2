// Package load puts a broker, the learner's verification of games, and the page under the load of many actors and many
// people, all in one process. Benchmarks measure them; tests, at night, see that nothing gets lost.
package load

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"croupier/engine"
	"croupier/games/bank"
	"croupier/internal/platform"
	"croupier/messages"
	"croupier/messages/backlog"
	"croupier/messages/bus"
	"croupier/messages/bus/broker"
)

const (
	fabricRun  = "fabric"
	fabricSeed = 1
	// batchGames are those of a batch of experience.
	batchGames = 64
	// weightsBytes are those of a version.
	weightsBytes = 128 << 10
	// limit is the number of waiting batches above which actors pause, as in actor.DefaultConfig.
	limit = 8
)

// fabric is a broker with a learner and many actors, each with a TCP connection. The actors' games were played before:
// each sends its own batch again and again, and goes by what the learner reports of its backlog as real actors do.
type fabric struct {
	t        testing.TB
	game     engine.Game
	verifier *messages.Verifier
	home     bus.Bus   // the learner's connection
	actors   []bus.Bus // the actors'
	batches  [][]byte  // of each actor
	row      []float32
}

// newFabric starts a broker and connects n actors to it.
func newFabric(t testing.TB, n int) *fabric {
	game, err := bank.New(nil)
	require.NoError(t, err)
	f := &fabric{
		t: t, game: game, verifier: messages.NewVerifier(game, fabricRun, fabricSeed),
		row: make([]float32, game.Spec().ObservationSize), actors: make([]bus.Bus, n),
	}
	quiet := slog.New(slog.DiscardHandler)
	server, err := broker.Start(broker.Options{
		Dir: filepath.Join(t.TempDir(), "nats"), Listen: "127.0.0.1:0", MaxConnections: n + 16, Log: quiet,
	})
	require.NoError(t, err)
	t.Cleanup(server.Shutdown)
	connect := func(role string, create bool) (bus.Bus, error) {
		return bus.Connect(t.Context(), bus.NATSOptions{URL: server.URL(), Run: fabricRun, Role: role, Create: create,
			Log: quiet})
	}
	f.home, err = connect("learner", true)
	require.NoError(t, err)
	t.Cleanup(func() { f.home.Close() })
	var group errgroup.Group
	group.SetLimit(16)
	for i := range n {
		f.batches = append(f.batches, f.record(actorID(i)))
		group.Go(func() (err error) {
			f.actors[i], err = connect("actor", false)
			return err
		})
	}
	t.Cleanup(f.close)
	require.NoError(t, group.Wait())
	return f
}

// close closes the actors' connections, with batches on their way.
func (f *fabric) close() {
	var group errgroup.Group
	group.SetLimit(64)
	for _, b := range f.actors {
		if b != nil {
			group.Go(b.Close)
		}
	}
	_ = group.Wait()
}

// actorID names an actor.
func actorID(i int) string { return fmt.Sprintf("actor-%d", i) }

// record plays an actor's batch of games at random.
func (f *fabric) record(actor string) []byte {
	hash := engine.RulesHash(f.game)
	x := &messages.Experience{
		Schema: messages.SchemaVersion, Run: fabricRun, Actor: actor, Sequence: 1, RulesHash: hash[:],
		Agents: []*messages.Agent{{Name: messages.LearningAgent, Learning: true, Version: 1}},
	}
	for number := range uint64(batchGames) {
		x.Episodes = append(x.Episodes, f.play(actor, number))
	}
	data, err := messages.Encode(x)
	require.NoError(f.t, err)
	return data
}

// play plays a game uniformly at random.
func (f *fabric) play(actor string, number uint64) *messages.Episode {
	spec, s := f.game.Spec(), f.game.NewState()
	seed := engine.GameSeed(fabricSeed, messages.TrainPurpose(actor), number)
	e := &messages.Episode{Number: number, Seed: seed, Seats: make([]byte, spec.Seats)}
	choice := engine.NewRNG(seed, engine.ActionStream)
	play := engine.Play{State: s, Chance: engine.NewRNG(seed, engine.ChanceStream), Choose: func(_ int, legal []int) int {
		e.LogProbs = messages.AppendFloat(e.LogProbs, -1)
		return legal[choice.IntN(len(legal))]
	}}
	for s.Player() != engine.Terminal {
		step, err := play.Step()
		require.NoError(f.t, err)
		e.History = messages.AppendStep(e.History, messages.HistoryWidth(spec), step)
	}
	returns := make([]float64, spec.Seats)
	s.Returns(returns)
	for _, r := range returns {
		e.Returns = messages.AppendFloat(e.Returns, float32(r))
	}
	return e
}

// verify does with a batch what the learner does before it books it: it decodes it, replays each game and rebuilds the
// observations. It returns the actor.
func (f *fabric) verify(data []byte) (actor string, err error) {
	x := &messages.Experience{}
	if err := messages.Decode(data, x); err != nil {
		return "", err
	}
	if err := f.verifier.Header(x); err != nil {
		return "", err
	}
	for i := range x.Episodes {
		r := f.verifier.Episode(x, i)
		for r.Next() {
			if r.Seat != engine.Chance {
				r.State().Observe(r.Seat, f.row)
			}
		}
		if err := r.Err(); err != nil {
			return "", err
		}
	}
	return x.Actor, nil
}

// follow has every actor take each version of the weights as it comes, and calls arrived with the bytes. It returns
// once all watch; stop waits for their end.
func (f *fabric) follow(ctx context.Context, arrived func(actor int, weights []byte)) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	group, following := errgroup.WithContext(ctx)
	var watching sync.WaitGroup
	watching.Add(len(f.actors))
	for i, b := range f.actors {
		group.Go(func() error {
			entries, err := b.State().Watch(following, messages.PointerKey(messages.LearningAgent))
			watching.Done()
			if err != nil {
				return err
			}
			for e := range entries {
				if e.Value == nil {
					continue
				}
				weights, err := b.GetObject(following, string(e.Value))
				if ctx.Err() != nil {
					return nil // it is the end
				} else if err != nil {
					return err
				}
				arrived(i, weights)
			}
			return nil
		})
	}
	watching.Wait()
	return func() error { cancel(); return group.Wait() }
}

// version publishes weights, and returns their SHA-256.
func (f *fabric) version(ctx context.Context, number int) [sha256.Size]byte {
	weights := make([]byte, weightsBytes)
	weights[0] = byte(number)
	name := fmt.Sprintf("live/main/%d", number)
	require.NoError(f.t, f.home.PutObject(ctx, name, weights))
	_, err := f.home.State().Put(ctx, messages.PointerKey(messages.LearningAgent), []byte(name))
	require.NoError(f.t, err)
	return sha256.Sum256(weights)
}

// learn has all actors publish while the learner verifies batch after batch, until enough says so of the actor and the
// bytes of the newest one.
func (f *fabric) learn(ctx context.Context, enough func(actor string, bytes int) bool) {
	consumer, err := f.consumer(ctx, f.home)
	require.NoError(f.t, err)
	defer consumer.Close()
	ctx, stop := context.WithCancel(ctx)
	var publishing sync.WaitGroup
	defer publishing.Wait()
	defer stop()
	for i, b := range f.actors {
		publishing.Go(func() { f.publish(ctx, i, b) })
	}
	var taken atomic.Uint64
	teller := &backlog.Reporter{
		Bus: f.home, Log: slog.New(slog.DiscardHandler), Agent: messages.LearningAgent, Limit: limit,
		Work: func() backlog.Work { return backlog.Work{Taken: taken.Load(), Actors: len(f.actors)} },
	}
	publishing.Go(func() { _ = teller.Run(ctx) })
	for {
		batches, err := consumer.Fetch(ctx, 8, time.Second)
		require.NoError(f.t, err)
		for _, m := range batches {
			actor, err := f.verify(m.Data())
			require.NoError(f.t, err)
			require.NoError(f.t, m.Ack(ctx))
			taken.Add(1)
			if enough(actor, len(m.Data())) {
				return
			}
		}
	}
}

func (f *fabric) consumer(ctx context.Context, b bus.Bus) (bus.Consumer, error) {
	agent := messages.LearningAgent
	return b.Consume(ctx, bus.Experience, messages.LearnerOf(agent), messages.ExperienceFilter(agent))
}

// ready is how often an actor has a batch to send, and askUnseen after how many the broker is asked for its own.
const (
	ready     = 20 * time.Millisecond
	askUnseen = 28
)

// publish sends an actor's batch again and again as long as the learner keeps up.
func (f *fabric) publish(ctx context.Context, i int, b bus.Bus) {
	consumer, err := f.consumer(ctx, b)
	if err != nil {
		return
	}
	defer consumer.Close()
	told, err := b.Subscribe(ctx, messages.BacklogSubject(messages.LearningAgent))
	if err != nil {
		return
	}
	var r backlog.Report
	own, sent, room := uint64(0), 0, 0.0
	for {
		var due <-chan time.Time
		if room >= 1 && !r.Above(limit) || own > 2*askUnseen {
			due = time.After(ready)
		}
		select {
		case <-ctx.Done():
			return
		case data := <-told:
			if r, err = backlog.ParseReport(data); err != nil {
				return
			}
			room = r.Room + rand.Float64()
			continue
		case <-due:
		}
		if sent >= askUnseen || own > 2*askUnseen {
			r.Waiting, own, _ = consumer.Pending(ctx)
			sent, room = 0, r.Room+rand.Float64()
		}
		if !r.Above(limit) && own <= 2*askUnseen {
			_ = b.Publish(ctx, bus.Experience, actorID(i), f.batches[i]) // the next one is the same
			sent, room = sent+1, room-1
		}
	}
}

// BenchmarkVerify is what a batch costs the learner, without a broker.
func BenchmarkVerify(b *testing.B) {
	game, err := bank.New(nil)
	require.NoError(b, err)
	f := &fabric{t: b, game: game, verifier: messages.NewVerifier(game, fabricRun, fabricSeed),
		row: make([]float32, game.Spec().ObservationSize)}
	batch := f.record(actorID(0))
	for b.Loop() {
		if _, err := f.verify(batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*batchGames), "µs/game")
}

// BenchmarkWeights is how long a version of 128 KiB takes to many actors.
func BenchmarkWeights(b *testing.B) {
	for _, n := range []int{10, 100, 300, 1000} {
		b.Run(fmt.Sprintf("actors=%d", n), func(b *testing.B) {
			before := memory()
			f := newFabric(b, n)
			perActor := float64(memory()-before) / float64(n)
			arrived := make(chan time.Time, n)
			stop := f.follow(b.Context(), func(int, []byte) { arrived <- time.Now() })
			var waits []float64
			cpu := platform.ProcessorTime()
			for number := 0; b.Loop(); number++ {
				began := time.Now()
				f.version(b.Context(), number)
				for range n {
					waits = append(waits, float64((<-arrived).Sub(began).Microseconds())/1e3)
				}
			}
			cpu = platform.ProcessorTime() - cpu
			require.NoError(b, stop())
			slices.Sort(waits)
			b.ReportMetric(waits[len(waits)/2], "ms-median")
			b.ReportMetric(waits[len(waits)*99/100], "ms-99%")
			b.ReportMetric(cpu.Seconds()*1e3/float64(len(waits)), "cpu-ms/actor")
			b.ReportMetric(perActor/1024, "KiB/actor")
		})
	}
}

// memory returns the bytes in use by heap and stacks.
func memory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// BenchmarkGames is a batch on its way through broker and verification, with many actors.
func BenchmarkGames(b *testing.B) {
	for _, n := range []int{10, 100, 300, 1000} {
		b.Run(fmt.Sprintf("actors=%d", n), func(b *testing.B) {
			f := newFabric(b, n)
			batches, bytes, cpu := 0, 0, platform.ProcessorTime()
			b.ResetTimer()
			f.learn(b.Context(), func(_ string, size int) bool {
				batches, bytes = batches+1, bytes+size
				return batches >= b.N
			})
			b.StopTimer()
			cpu = platform.ProcessorTime() - cpu
			games := float64(batches * batchGames)
			b.ReportMetric(games/b.Elapsed().Seconds(), "games/s")
			b.ReportMetric(games/cpu.Seconds(), "games/cpu-s")
			b.SetBytes(int64(bytes / batches))
		})
	}
}
