//go:build long

package tests

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"croupier/actor"
	"croupier/agents"
	"croupier/games/standard"
	"croupier/internal/platform"
	"croupier/internal/stat"
	"croupier/learner"
	learning "croupier/learner/train"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/messages/roles"
	"croupier/nn"
	"croupier/settings"
)

// Learning from actors that are far away (docs/lab/scale.md): their games are late and were played by weights
// that are some versions old.
var (
	farGames = flag.String("far.games", "leduc,kuhn", "small games for which learning from far is measured")
	farTime  = flag.Duration("far.time", 20*time.Second, "processor time of each run")
	farSeeds = flag.Int("far.seeds", 5, "runs of each distance, with the seeds 1, 2, …")
	farLag   = flag.Uint64("far.lag", farUnbounded, "most versions by which a game may lag behind (learner.ppo.max_lag)")
)

// farUnbounded is more versions than a run has.
const farUnbounded = 1000

// distance is how far the actor is from the learner.
type distance struct {
	delay    time.Duration // of weights on their way to the actor, and of games on their way back
	versions int           // by which the actor's weights are older besides
}

var distances = []distance{{0, 0}, {200 * time.Millisecond, 0}, {0, 5}, {0, 20}, {200 * time.Millisecond, 20}}

func (d distance) String() string {
	return fmt.Sprintf("%d ms, %d versions", d.delay.Milliseconds(), d.versions)
}

// farAt are the shares of the processor time after which strength is measured.
var farAt = []float64{0.25, 0.5, 1}

// TestLearningFromFar trains with equal processor time at each distance, the seeds interleaved, on one core,
// and prints how exploitable the policy is (0: an equilibrium) and how old the games were, means over the
// seeds with 95 % intervals. At any distance training must lead far from where it began.
func TestLearningFromFar(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, game := range strings.Split(*farGames, ",") {
		curves := make([][][]float64, len(distances)) // by distance and time, of all seeds
		lags, learnt, old := make([][]float64, len(distances)), make([][]float64, len(distances)),
			make([][]float64, len(distances))
		for i := range distances {
			curves[i] = make([][]float64, len(farAt))
		}
		first := 0.0
		for seed := 1; seed <= *farSeeds; seed++ {
			for i, d := range distances {
				r := trainFar(t, game, uint64(seed), d)
				t.Logf("%s, %v, seed %d: %+v", game, d, seed, r)
				for k, e := range r.exploitability {
					curves[i][k] = append(curves[i][k], e)
				}
				lags[i], learnt[i], first = append(lags[i], r.lag), append(learnt[i], float64(r.games)), r.untrained
				old[i] = append(old[i], 100*r.tooOld)
			}
		}
		table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintf(table, "%s\tlag (versions)\tgames\ttoo old\tafter 1/4\tafter 1/2\tat the end of %v\n", game, *farTime)
		for i, d := range distances {
			fmt.Fprintf(table, "%v\t%.1f\t%.0f\t%.0f %%", d, stat.Of(lags[i]).Mean, stat.Of(learnt[i]).Mean,
				stat.Of(old[i]).Mean)
			for _, values := range curves[i] {
				fmt.Fprintf(table, "\t%s", meanWithInterval(values))
			}
			fmt.Fprintln(table)
			if *farLag == farUnbounded {
				require.Less(t, stat.Of(curves[i][len(farAt)-1]).Mean, first/2, "%s: games from %v away do not help", game, d)
			}
		}
		require.NoError(t, table.Flush())
	}
}

// far is what a run has reached.
type far struct {
	untrained      float64   // exploitability of the first weights
	exploitability []float64 // at the times of farAt
	games          uint64
	lag            float64 // mean of the games learnt from, versions
	tooOld         float64 // share of the games that came
}

// trainFar trains on one core with an actor at a distance.
func trainFar(t *testing.T, name string, seed uint64, d distance) (r far) {
	config, err := settings.Default(standard.Games, name)
	require.NoError(t, err)
	// Many small versions, so that a distance in versions is short next to the run.
	config.Learner.PPO.Samples, config.Learner.PPO.Minibatch, config.Learner.PPO.MaxLag = 2048, 1024, *farLag
	config.Learner.CheckpointInterval = learning.Every(time.Hour)
	game, err := standard.Games.New(name, nil)
	require.NoError(t, err)
	layout, err := nn.NewLayout(config.Network, game.Spec())
	require.NoError(t, err)
	home := memory.New(bus.Options{})
	defer home.Close()
	registry, log := prometheus.NewRegistry(), slog.New(slog.DiscardHandler)
	began := platform.ProcessorTime()
	progress := func() float64 { return (platform.ProcessorTime() - began).Seconds() / farTime.Seconds() }
	l, err := learner.New(learner.Options{
		Common: roles.Common{
			Bus: home, Game: game, Run: "far", RunSeed: seed, Dir: t.TempDir(), Registerer: registry, Log: log,
		},
		Layout: layout, Config: config.Learner, Backlog: config.Actor.Backlog, Progress: progress,
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	away := newFarBus(ctx, home, d)
	a, err := actor.New(actor.Options{
		Common: roles.Common{
			Bus: away, Game: game, Run: "far", RunSeed: seed, Registerer: prometheus.NewRegistry(), Log: log,
		},
		Config: config.Actor, Resolver: agents.New(game, agents.Sources{Catalog: standard.Games}), ID: "a",
		Agents: []actor.Agent{{Name: messages.LearningAgent, Share: 1}}, Workers: 1,
	})
	require.NoError(t, err)
	group, running := errgroup.WithContext(ctx)
	group.Go(func() error { return l.Run(running) })
	group.Go(func() error { return a.Run(running) })
	exploitability := func() float64 {
		evaluate, err := agents.New(game, agents.Sources{Catalog: standard.Games}).Evaluation(
			config.Network, config.League.CurveNodes)
		require.NoError(t, err)
		values, err := evaluate(ctx, away.newest())
		require.NoError(t, err)
		return values["exploitability"]
	}
	require.Eventually(t, func() bool { return away.newest() != nil }, time.Minute, time.Millisecond)
	r.untrained = exploitability()
	for _, at := range farAt {
		for progress() < at && running.Err() == nil {
			time.Sleep(5 * time.Millisecond)
		}
		require.NoError(t, running.Err())
		r.exploitability = append(r.exploitability, exploitability())
	}
	stop()
	require.NoError(t, group.Wait())
	r.games, _ = l.Totals()
	totals := gathered(t, registry)
	r.lag = totals["croupier_learner_lag_versions_sum"] / totals["croupier_learner_lag_versions_count"]
	stale := totals["croupier_learner_episodes_total stale"]
	r.tooOld = stale / (stale + totals["croupier_learner_episodes_total consumed"])
	return r
}

// gathered returns the sums and counts of the histograms without labels, and counters by their label.
func gathered(t *testing.T, from prometheus.Gatherer) map[string]float64 {
	families, err := from.Gather()
	require.NoError(t, err)
	totals := map[string]float64{}
	for _, f := range families {
		for _, m := range f.Metric {
			totals[f.GetName()+"_sum"] = m.GetHistogram().GetSampleSum()
			totals[f.GetName()+"_count"] = float64(m.GetHistogram().GetSampleCount())
			if labels := m.GetLabel(); len(labels) == 1 {
				totals[f.GetName()+" "+labels[0].GetValue()] = m.GetCounter().GetValue()
			}
		}
	}
	return totals
}

// farBus is the bus as an actor at a distance has it.
type farBus struct {
	bus.Bus
	distance
	ctx  context.Context
	late chan latePublication // games on their way

	mutex   sync.Mutex
	objects map[string][]byte // weights on their way, which the learner may have deleted meanwhile
	last    []byte            // the newest weights at home
}

type latePublication struct {
	due     time.Time
	subject string
	data    []byte
}

func newFarBus(ctx context.Context, home bus.Bus, d distance) *farBus {
	b := &farBus{Bus: home, distance: d, ctx: ctx, late: make(chan latePublication, 1<<16), objects: map[string][]byte{}}
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case p := <-b.late:
				time.Sleep(time.Until(p.due))
				_ = home.Publish(ctx, bus.Experience, p.subject, p.data) // ends with ctx
			}
		}
	}()
	return b
}

func (b *farBus) newest() []byte {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.last
}

// Publish implements bus.Bus: games come later.
func (b *farBus) Publish(ctx context.Context, stream bus.Stream, subject string, data []byte) error {
	if stream != bus.Experience {
		return b.Bus.Publish(ctx, stream, subject, data)
	}
	select {
	case b.late <- latePublication{time.Now().Add(b.delay), subject, slices.Clone(data)}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// GetObject implements bus.Bus.
func (b *farBus) GetObject(_ context.Context, name string) ([]byte, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	data, found := b.objects[name]
	if !found {
		return nil, bus.ErrNotFound
	}
	return data, nil
}

// State implements bus.Bus.
func (b *farBus) State() bus.KV { return farKV{b.Bus.State(), b} }

// farKV announces weights late.
type farKV struct {
	bus.KV
	far *farBus
}

// Watch implements bus.KV. The first weights come at once: nothing can be played without any.
func (k farKV) Watch(ctx context.Context, prefix string) (<-chan bus.Entry, error) {
	entries, err := k.KV.Watch(ctx, prefix)
	if err != nil || prefix != messages.PointerKey(messages.LearningAgent) {
		return entries, err
	}
	type lateEntry struct {
		due   time.Time
		entry bus.Entry
	}
	out, late := make(chan bus.Entry), make(chan lateEntry, 1<<16)
	go func() {
		defer close(late)
		var held []bus.Entry
		seen := 0
		for e := range entries {
			if e.Value == nil {
				continue
			}
			k.far.fetch(ctx, e.Value)
			held = append(held, e)
			if len(held) > k.far.versions || seen == 0 {
				late <- lateEntry{time.Now().Add(min(k.far.delay, time.Duration(seen)*time.Hour)), held[0]}
				held = held[1:]
			}
			seen++
		}
	}()
	go func() {
		defer close(out)
		for l := range late {
			time.Sleep(time.Until(l.due))
			bus.Deliver(ctx, nil, out, l.entry)
		}
	}()
	return out, nil
}

// fetch takes the weights of a pointer before the learner deletes them.
func (b *farBus) fetch(ctx context.Context, value []byte) {
	pointer := &messages.Pointer{}
	if messages.Decode(value, pointer) != nil {
		return
	}
	data, err := b.Bus.GetObject(ctx, pointer.Object)
	if err != nil {
		return
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.objects[pointer.Object], b.last = data, data
}
