package bench

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"croupier/actor"
	"croupier/engine"
	"croupier/internal/platform"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/broker"
)

// FabricOptions say how the broker and the learner's door are measured with many actors.
type FabricOptions struct {
	Actors   []int         // connections in each measurement
	Length   time.Duration // of publishing
	Versions int           // of weights whose way is timed
	Weights  int           // bytes of a version
	Games    int           // in a batch of experience
}

const (
	fabricRun  = "fabric"
	fabricSeed = 1
)

// Fabric measures, for each number of actors, a broker with that many connections over TCP: how long new
// weights take to all of them, and how many games come through the broker and through the learner's door
// (decoding, verifying by replay, rebuilding observations). Actors, broker and door share this process. The
// actors' games were played before: each sends its own batch again and again, and polls the backlog as real
// actors do.
func (o *Options) Fabric(ctx context.Context) ([]Fabric, error) {
	var results []Fabric
	for _, n := range o.Fabrics.Actors {
		o.Progress(fmt.Sprintf("fabric: %d actors", n))
		result, err := o.fabric(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("fabric: %d actors: %w", n, err)
		}
		results = append(results, result)
	}
	return results, nil
}

// fabric measures one number of actors.
func (o *Options) fabric(ctx context.Context, n int) (Fabric, error) {
	result := Fabric{Game: o.Game, Actors: n}
	game, err := o.Catalog.New(o.Game, nil)
	if err != nil {
		return result, err
	}
	f := &fabric{game: game, verifier: messages.NewVerifier(game, fabricRun, fabricSeed)}
	dir, err := os.MkdirTemp("", "croupier-bench-")
	if err != nil {
		return result, err
	}
	defer os.RemoveAll(dir)
	quiet := slog.New(slog.DiscardHandler)
	server, err := broker.Start(broker.Options{
		Dir: filepath.Join(dir, "nats"), Listen: "127.0.0.1:0", MaxConnections: n + 16, Log: quiet,
	})
	if err != nil {
		return result, err
	}
	defer server.Shutdown()
	connect := func(role string, create bool) (bus.Bus, error) {
		return bus.Connect(ctx, bus.NATSOptions{URL: server.URL(), Run: fabricRun, Role: role, Create: create, Log: quiet})
	}
	if f.home, err = connect("learner", true); err != nil {
		return result, err
	}
	defer f.home.Close()
	if err := f.record(n, o.Fabrics.Games); err != nil {
		return result, err
	}
	f.measureDoor(&result, o.Fabrics.Length/4)
	before := memory()
	if err := f.connect(n, connect); err != nil {
		return result, err
	}
	defer f.close()
	result.BytesPerActor = float64(memory()-before) / float64(n)
	if err := f.measureWeights(ctx, &result, o.Fabrics); err != nil {
		return result, err
	}
	return result, f.measureGames(ctx, &result, o.Fabrics.Length)
}

// memory returns the bytes in use by heap and stacks.
func memory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// fabric is a broker with a learner and many actors.
type fabric struct {
	game     engine.Game
	verifier *messages.Verifier
	home     bus.Bus   // the learner's connection
	actors   []bus.Bus // the actors'
	batches  [][]byte  // of each actor
	games    int       // in a batch
	steps    int       // decisions in all batches
	row      []float32
}

// actorID names an actor.
func actorID(i int) string { return fmt.Sprintf("actor-%d", i) }

// record plays a batch of random games for each actor.
func (f *fabric) record(n, games int) error {
	spec, hash := f.game.Spec(), engine.RulesHash(f.game)
	f.games, f.row = games, make([]float32, spec.ObservationSize)
	for i := range n {
		x := &messages.Experience{
			Schema: messages.SchemaVersion, Run: fabricRun, Actor: actorID(i), Sequence: 1, RulesHash: hash[:],
			Agents: []*messages.Agent{{Name: messages.LearningAgent, Learning: true, Version: 1}},
		}
		for number := range uint64(games) {
			episode, err := f.play(x.Actor, number)
			if err != nil {
				return err
			}
			f.steps += len(episode.LogProbs) / 4
			x.Episodes = append(x.Episodes, episode)
		}
		data, err := messages.Encode(x)
		if err != nil {
			return err
		}
		f.batches = append(f.batches, data)
	}
	return nil
}

// play plays a game uniformly at random.
func (f *fabric) play(actor string, number uint64) (*messages.Episode, error) {
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
		if err != nil {
			return nil, err
		}
		e.History = messages.AppendStep(e.History, messages.HistoryWidth(spec), step)
	}
	returns := make([]float64, spec.Seats)
	s.Returns(returns)
	for _, r := range returns {
		e.Returns = messages.AppendFloat(e.Returns, float32(r))
	}
	return e, nil
}

// door does with a batch what the learner's door does before it books it, and returns its games.
func (f *fabric) door(data []byte) (int, error) {
	x := &messages.Experience{}
	if err := messages.Decode(data, x); err != nil {
		return 0, err
	}
	if err := f.verifier.Header(x); err != nil {
		return 0, err
	}
	for i := range x.Episodes {
		err := f.verifier.Episode(x, i, func(s engine.State, seat, _ int, _ []int, _ *messages.Agent, _ float32) {
			if seat != engine.Chance {
				s.Observe(seat, f.row)
			}
		})
		if err != nil {
			return 0, err
		}
	}
	return len(x.Episodes), nil
}

// measureDoor takes the door's processor time of a game, without a broker.
func (f *fabric) measureDoor(result *Fabric, length time.Duration) {
	games, began, cpu := 0, time.Now(), platform.ProcessorTime()
	for i := 0; time.Since(began) < length; i++ {
		n, err := f.door(f.batches[i%len(f.batches)])
		if err != nil {
			panic("bench: the door refuses a game that was just played: " + err.Error())
		}
		games += n
	}
	result.DoorMicroseconds = float64((platform.ProcessorTime() - cpu).Microseconds()) / float64(games)
	all := float64(f.games * len(f.batches))
	bytes := 0
	for _, b := range f.batches {
		bytes += len(b)
	}
	result.DecisionsPerGame, result.BytesPerDecision = float64(f.steps)/all, float64(bytes)/float64(f.steps)
}

// connect opens the actors' connections.
func (f *fabric) connect(n int, connect func(role string, create bool) (bus.Bus, error)) error {
	f.actors = make([]bus.Bus, n)
	var group errgroup.Group
	group.SetLimit(16)
	for i := range n {
		group.Go(func() (err error) {
			f.actors[i], err = connect("actor", false)
			return err
		})
	}
	err := group.Wait()
	f.actors = slices.DeleteFunc(f.actors, func(b bus.Bus) bool { return b == nil })
	if err != nil {
		f.close()
	}
	return err
}

func (f *fabric) close() {
	var group errgroup.Group
	group.SetLimit(64)
	for _, b := range f.actors {
		group.Go(b.Close)
	}
	_ = group.Wait() // batches may be on their way
}

// measureWeights publishes versions one after the other, and times how long each actor waits for the bytes.
func (f *fabric) measureWeights(ctx context.Context, result *Fabric, o FabricOptions) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var began atomic.Int64 // nanoseconds
	start := time.Now()
	arrived := make(chan time.Duration, len(f.actors))
	group, following := errgroup.WithContext(ctx)
	watching := sync.WaitGroup{}
	watching.Add(len(f.actors))
	for _, b := range f.actors {
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
				if _, err := b.GetObject(following, string(e.Value)); ctx.Err() != nil {
					return nil // measured
				} else if err != nil {
					return err
				}
				arrived <- time.Since(start) - time.Duration(began.Load())
			}
			return nil
		})
	}
	watching.Wait()
	var waits, slowest []float64
	watch := StartWatch()
	for version := range o.Versions {
		began.Store(int64(time.Since(start)))
		name := fmt.Sprintf("live/main/%d", version)
		if err := f.home.PutObject(ctx, name, make([]byte, o.Weights)); err != nil {
			return err
		}
		if _, err := f.home.State().Put(ctx, messages.PointerKey(messages.LearningAgent), []byte(name)); err != nil {
			return err
		}
		for range f.actors {
			select {
			case d := <-arrived:
				waits = append(waits, d.Seconds()*1e3)
			case <-following.Done():
				return group.Wait()
			}
		}
		slowest = append(slowest, slices.Max(waits[len(waits)-len(f.actors):]))
	}
	result.WeightsCPU = (platform.ProcessorTime() - watch.cpu).Seconds() * 1e3 / float64(o.Versions*len(f.actors))
	slices.Sort(waits)
	result.WeightsP50, result.WeightsP99, result.WeightsAll = median(waits), waits[len(waits)*99/100], median(slowest)
	stop()
	return group.Wait()
}

// backlog is the number of waiting batches above which actors pause, as in [actor.DefaultConfig].
const backlog = 8

// measureGames has all actors publish while the door keeps up.
func (f *fabric) measureGames(ctx context.Context, result *Fabric, length time.Duration) error {
	consumer, err := f.home.Consume(ctx, bus.Experience, messages.LearnerOf(messages.LearningAgent), messages.ExperienceFilter(messages.LearningAgent))
	if err != nil {
		return err
	}
	defer consumer.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var publishing sync.WaitGroup
	for i, b := range f.actors {
		publishing.Go(func() { f.publish(ctx, i, b) })
	}
	watch, games, bytes := StartWatch(), 0, 0
	for watch.Elapsed() < length {
		batches, err := consumer.Fetch(ctx, 8, time.Second)
		if err != nil {
			return err
		}
		for _, m := range batches {
			n, err := f.door(m.Data())
			if err != nil {
				return err
			}
			games, bytes = games+n, bytes+len(m.Data())
			if err := m.Ack(ctx); err != nil {
				return err
			}
		}
	}
	cpu := platform.ProcessorTime() - watch.cpu
	result.Seconds, result.CPUShare = watch.Stop(runtime.NumCPU())
	result.GamesPerSecond = float64(games) / result.Seconds
	result.BytesPerSecond = float64(bytes) / result.Seconds
	result.GamesPerCPUSecond = float64(games) / cpu.Seconds()
	result.DoorShare = result.DoorMicroseconds * 1e-6 * result.GamesPerCPUSecond
	stop()
	publishing.Wait()
	return nil
}

// publish sends an actor's batch whenever it has asked for the backlog, as long as the learner keeps up.
func (f *fabric) publish(ctx context.Context, i int, b bus.Bus) {
	consumer, err := b.Consume(ctx, bus.Experience, messages.LearnerOf(messages.LearningAgent), messages.ExperienceFilter(messages.LearningAgent))
	if err != nil {
		return
	}
	defer consumer.Close()
	for ctx.Err() == nil {
		asked := time.Now()
		pending, _, err := consumer.Pending(ctx)
		answered := time.Since(asked)
		if err == nil && pending <= backlog {
			_ = b.Publish(ctx, bus.Experience, actorID(i), f.batches[i]) // what is lost shows in the rate
		}
		select {
		case <-ctx.Done():
		case <-time.After(actor.BacklogPause(answered)):
		}
	}
}
