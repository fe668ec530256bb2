// Package growth lets a run work for days of a fake clock and looks at everything that it keeps.
package growth

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/actor"
	"croupier/engine"
	"croupier/games/kuhn"
	"croupier/internal/nightly"
	"croupier/internal/rundir"
	"croupier/league"
	"croupier/learner"
	"croupier/learner/train"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/messages/conduct"
	"croupier/messages/roles"
	"croupier/nn"
)

// growth is a run on a fake clock, at work for days: a learner and a league as they are, on the bus in memory with
// its limits. Actors that come and go send games of Kuhn poker and results of matches.
type growth struct {
	t      *testing.T
	game   engine.Game
	dir    string
	bus    bus.Bus
	idle   bus.Bus // without weights: there actors begin and end without playing
	random *rand.Rand
	starts int
	crew   []*crewman
	levels map[string][]float64 // by what is measured, one for each hour of the full length
	failed chan error
}

const (
	growthRun  = "growth"
	growthSeed = 7

	crewWorkers = 8
	crewActors  = 3
)

const (
	churnRounds   = 3  // after that many an actor begins with eight workers, and another ends
	measureRounds = 12 // and all is measured
	roundsOfADay  = 288
	roundEvery    = 24 * time.Hour / roundsOfADay // experience for an iteration and results
)

// growthLimits are small enough to be reached within two days by whatever grows for ever, with about the ratio to
// a run's rates that the defaults have to those of BANK! in a month.
func growthLimits() bus.Options {
	return bus.Options{Sizes: bus.Sizes{
		ExperienceBytes: 1 << 20, MatchBytes: 256 << 10, ResultBytes: 1 << 20, CurveBytes: 128 << 10, ObjectBytes: 2 << 20,
		StateBytes: 1 << 20,
	}}
}

// crewman is a worker of an actor: it plays at random.
type crewman struct {
	name          string
	began         uint64
	batches, next uint64
	away          int // rounds that it is cut off
}

// batch plays games with the given version of the weights.
func (w *crewman) batch(game engine.Game, version uint64, games int) *messages.Experience {
	hash := engine.RulesHash(game)
	w.batches++
	x := &messages.Experience{
		Schema: messages.SchemaVersion, Run: growthRun, Actor: w.name, Sequence: w.batches, EpisodesBefore: w.next,
		RulesHash: hash[:], Began: w.began,
		Agents: []*messages.Agent{{Name: messages.LearningAgent, Learning: true, Version: version}},
	}
	for range games {
		x.Episodes = append(x.Episodes, w.play(game))
	}
	return x
}

func (w *crewman) play(game engine.Game) *messages.Episode {
	spec, s := game.Spec(), game.NewState()
	seed := engine.GameSeed(growthSeed, messages.TrainPurpose(w.name), w.next)
	e := &messages.Episode{Number: w.next, Seed: seed, Seats: make([]byte, spec.Seats)}
	w.next++
	choice := engine.NewRNG(seed, engine.ActionStream)
	play := engine.Play{State: s, Chance: engine.NewRNG(seed, engine.ChanceStream), Choose: func(_ int, legal []int) int {
		e.LogProbs = messages.AppendFloat(e.LogProbs, float32(-math.Log(float64(len(legal)))))
		return legal[choice.IntN(len(legal))]
	}}
	for s.Player() != engine.Terminal {
		step, err := play.Step()
		if err != nil {
			panic(err)
		}
		e.History = messages.AppendStep(e.History, messages.HistoryWidth(spec), step)
	}
	returns := make([]float64, spec.Seats)
	s.Returns(returns)
	for _, r := range returns {
		e.Returns = messages.AppendFloat(e.Returns, float32(r))
	}
	return e
}

// newLearner and newLeague make roles that freeze a version about every twenty minutes.
func (g *growth) newLearner(log *slog.Logger) *learner.Learner {
	layout, err := nn.NewLayout(nn.Description{Dense: []int{8}}, g.game.Spec())
	require.NoError(g.t, err)
	c := train.DefaultConfig()
	c.PPO.Samples, c.PPO.Minibatch, c.PPO.Epochs, c.PPO.MaxLag, c.Workers, c.CheckpointInterval = 64, 64, 1, 8, 1,
		train.Every(time.Minute)
	l, err := learner.New(learner.Options{
		Common: roles.Common{
			Bus: g.bus, Game: g.game, Run: growthRun, RunSeed: growthSeed, Dir: g.dir,
			Conduct: conduct.DefaultConfig(), Registerer: prometheus.NewRegistry(), Log: log,
		},
		Layout: layout, Config: c, Backlog: 1,
	})
	require.NoError(g.t, err)
	return l
}

func (g *growth) newLeague(log *slog.Logger) *league.League {
	c := league.DefaultConfig()
	c.FreezeUpdates, c.Population, c.LadderMembers, c.Pool = 4, 8, 12, 4
	c.JournalBytes, c.KeepMembers = 64<<10, 8
	c.MatchSets, c.ReferenceSets, c.GateSets, c.GateMaxSets, c.FinalSets, c.MaxSets = 5, 10, 10, 20, 20, 20
	l, err := league.New(league.Options{
		Common: roles.Common{
			Bus: g.bus, Game: g.game, Run: growthRun, Dir: g.dir, Conduct: conduct.DefaultConfig(),
			Registerer: prometheus.NewRegistry(), Log: log,
		},
		Config: c, References: []string{"random"}, Zero: "random", Kind: func(string) string { return "bot" },
	})
	require.NoError(g.t, err)
	return l
}

// churn has an actor begin and the oldest end. The beginning is that of a real one, for its journals.
func (g *growth) churn(ctx context.Context) {
	g.starts++
	id, start := fmt.Sprintf("actor-%08x", g.random.Uint32()), fmt.Sprintf("%08x", g.starts)
	a, err := actor.New(actor.Options{
		Common: roles.Common{
			Bus: g.idle, Game: g.game, Run: growthRun, RunSeed: growthSeed, Dir: g.dir,
			Registerer: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
		},
		Config: actor.Config{Tables: 1, ArenaShare: 1, Backlog: 1}, ID: id, Start: start,
		Agents: []actor.Agent{{Name: messages.LearningAgent, Share: 1}}, TrainingOnly: true,
		Workers: crewWorkers,
	})
	require.NoError(g.t, err)
	begin, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	require.NoError(g.t, a.Run(begin))
	for i := range crewWorkers {
		g.crew = append(g.crew, &crewman{name: messages.WorkerName(id, start, i), began: g.version(ctx)})
	}
	g.crew = g.crew[max(0, len(g.crew)-crewActors*crewWorkers):]
}

// version is the newest that is published, 0 before the first.
func (g *growth) version(ctx context.Context) uint64 {
	e, err := g.bus.State().Get(ctx, messages.PointerKey(messages.LearningAgent))
	if errors.Is(err, bus.ErrNotFound) {
		return 0
	}
	require.NoError(g.t, err)
	p := &messages.Pointer{}
	require.NoError(g.t, messages.Decode(e.Value, p))
	return p.Version
}

// round has all workers send a batch, and all matches that wait be played. One worker in fifty is cut off for some
// hours after it.
func (g *growth) round(ctx context.Context) {
	version := g.version(ctx)
	for _, w := range g.crew {
		if w.away--; w.away > 0 || version == 0 {
			continue
		}
		if g.random.IntN(50) == 0 {
			w.away = g.random.IntN(60)
		}
		data, err := messages.Encode(w.batch(g.game, version, 1))
		require.NoError(g.t, err)
		require.NoError(g.t, g.bus.Publish(ctx, bus.Experience, messages.ActorOf(w.name), data))
	}
	consumer, err := g.bus.Consume(ctx, bus.Matches, messages.ArenaConsumer, "")
	require.NoError(g.t, err)
	matches, err := consumer.Fetch(ctx, 1000, time.Second)
	require.NoError(g.t, err)
	for _, m := range matches {
		match := &messages.Match{}
		require.NoError(g.t, messages.Decode(m.Data(), match))
		data, err := messages.Encode(g.result(match))
		require.NoError(g.t, err)
		err = g.bus.Publish(ctx, bus.Results, messages.ResultSubject(match.Id, messages.ActorOf(g.crew[0].name)), data)
		if !errors.Is(err, bus.ErrTaken) {
			require.NoError(g.t, err)
		}
		require.NoError(g.t, m.Ack(ctx))
	}
}

// result is that of a match of Kuhn poker in which everybody is about as strong.
func (g *growth) result(m *messages.Match) *messages.Result {
	r := &messages.Result{Schema: messages.SchemaVersion, Run: growthRun, Match: m}
	for range messages.MatchGames(g.game.Spec(), m.Sets) {
		won := float32(1 - 2*g.random.IntN(2))
		r.Returns = messages.AppendFloat(messages.AppendFloat(r.Returns, won), -won)
	}
	for range m.Sets {
		r.Digests = binary.LittleEndian.AppendUint32(r.Digests, g.random.Uint32())
	}
	require.NoError(g.t, messages.SumUp(g.game.Spec(), r))
	return r
}

// measure notes how large everything is that a run keeps.
func (g *growth) measure(ctx context.Context) {
	note := func(what string, value float64) { g.levels[what] = append(g.levels[what], value) }
	for _, s := range bus.Streams {
		info, err := g.bus.Info(ctx, s)
		require.NoError(g.t, err)
		note("stream "+s.String()+", KiB", float64(info.Bytes)/1024)
	}
	for name, kv := range map[string]bus.KV{"State": g.bus.State(), "Roles": g.bus.Roles()} {
		keys, size := keysOf(g.t, kv)
		note("keys of "+name, float64(keys))
		note(name+", KiB", float64(size)/1024)
	}
	objects, err := g.bus.ListObjects(ctx)
	require.NoError(g.t, err)
	note("objects", float64(len(objects)))
	files, size := map[string]float64{}, 0.0
	require.NoError(g.t, filepath.WalkDir(g.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint: the file was replaced
		}
		if rest, _ := filepath.Rel(g.dir, path); rest == rundir.MembersFile {
			note("members.jsonl, bytes a version", float64(info.Size())/float64(1+g.version(ctx)))
			return nil
		}
		rest, _ := filepath.Rel(g.dir, path)
		folder, _, nested := strings.Cut(rest, string(os.PathSeparator))
		if !nested {
			folder = "."
		}
		files[folder]++
		size += float64(info.Size())
		return nil
	}))
	for folder, n := range files {
		note("files in RUN/"+folder, n)
	}
	note("run directory, KiB", size/1024)
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	note("heap, MiB", float64(m.HeapAlloc)/(1<<20))
}

func keysOf(t *testing.T, kv bus.KV) (keys, size int) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	entries, err := kv.Watch(ctx, "")
	require.NoError(t, err)
	for e := range entries {
		if e.Key == "" {
			break
		}
		keys, size = keys+1, size+len(e.Key)+len(e.Value)
	}
	return keys, size
}

// mostGrowth is by how much a level may be higher in the last quarter than in the second: what is kept of old
// versions grows with the logarithm of their number.
const mostGrowth = 1.25

// slack is what a level may have grown by in any case: files are larger and smaller by turns.
var slack = map[string]float64{"heap, MiB": 8, "stream results, KiB": 96}

// bounds are those of levels that take longer to be reached. The account of workers that are gone has 512 KiB.
var bounds = map[string]float64{"State, KiB": 640, "files in RUN/actors": 1024 + crewWorkers,
	"run directory, KiB": 4096}

// check reports which levels still rise, and tells them all.
func (g *growth) check() {
	for _, what := range slices.Sorted(maps.Keys(g.levels)) {
		values := g.levels[what]
		n := len(values)
		require.Greater(g.t, n, 8)
		early, late, most := slices.Max(values[n/4:n/2]), slices.Max(values[3*n/4:]), slices.Max(values)
		g.t.Logf("%-30s %7.0f in the second quarter, %7.0f in the last, %7.0f at most", what, early, late, most)
		bound, bounded := bounds[what]
		switch {
		case bounded && most > bound:
			g.t.Errorf("%s: %.0f are more than %.0f", what, most, bound)
		case !bounded && late > mostGrowth*early+max(slack[what], 8):
			g.t.Errorf("%s: from %.0f in the second quarter to %.0f in the last", what, early, late)
		}
	}
}

// loud keeps what a role complains of.
type loud struct {
	slog.Handler
	failed chan error
}

func (h loud) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelError }

func (h loud) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
	select {
	case h.failed <- errors.New(text):
	default:
	}
	return nil
}

func (h loud) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h loud) WithGroup(string) slog.Handler      { return h }

// grow lets a run work through the rounds of that many days, in a fraction of the time.
func grow(t *testing.T, days, fraction int) {
	g := &growth{
		t: t, game: kuhn.Game{}, dir: t.TempDir(), random: rand.New(rand.NewPCG(1, 2)), levels: map[string][]float64{},
		failed: make(chan error, 4),
	}
	synctest.Test(t, func(t *testing.T) {
		g.t, g.bus, g.idle = t, memory.New(growthLimits()), memory.New(bus.Options{})
		log := slog.New(loud{slog.DiscardHandler, g.failed})
		l, lg := g.newLearner(log), g.newLeague(log)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 2)
		go func() { ended <- l.Run(ctx) }()
		go func() { ended <- lg.Run(ctx) }()
		began := time.Now()
		for round := range days * roundsOfADay {
			since := time.Duration(round) * roundEvery / time.Duration(fraction)
			time.Sleep(time.Until(began.Add(since)))
			if round%churnRounds == 0 {
				g.churn(ctx)
			}
			g.round(ctx)
			if round%measureRounds == 0 {
				g.measure(ctx)
			}
			select {
			case err := <-g.failed:
				t.Fatalf("after %v: %v", since, err)
			case err := <-ended:
				t.Fatalf("after %v a role ended: %v", since, err)
			default:
			}
		}
		games, _ := l.Totals()
		t.Logf("%d starts of actors, version %d, %d games learnt from", g.starts, g.version(ctx), games)
		cancel()
		require.NoError(t, <-ended)
		require.NoError(t, <-ended)
		require.NoError(t, g.bus.Close())
		require.NoError(t, g.idle.Close())
		g.check()
	})
}

// TestGrowthOfTwoDays has a run work through the rounds of two days of a fake clock, for each change in a sixth of the
// time. TestGrowthOfAMonth is its long form. What grows for ever grows with rounds, starts of actors, versions or
// seconds, and of all of these there are twice as many at the end of the last quarter as at that of the second, however
// long a round takes. What a run does each second, most of the work of this test, is a sixth.
func TestGrowthOfTwoDays(t *testing.T) { grow(t, 2, nightly.Cases(6, 1)) }
