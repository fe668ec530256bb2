package actor

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"croupier/engine"
	"croupier/games/standard"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/messages/roles"
	"croupier/nn"
	"croupier/player"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	testRun  = "run"
	testSeed = 11
)

// players is a Resolver of a fixed set of players.
type players map[string]*player.Player

func (p players) Player(_ context.Context, name string) (*player.Player, error) {
	if found := p[name]; found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("no agent %s", name)
}

func (p players) Network(data, sum []byte) (*nn.Network, error) {
	if got := sha256.Sum256(data); string(got[:]) != string(sum) {
		return nil, fmt.Errorf("wrong checksum")
	}
	file, _, err := nn.Decode(data, standard.Games.New)
	if err != nil {
		return nil, err
	}
	return file.Network, nil
}

// publishWeights plays main's learner: it publishes random weights as a version.
func publishWeights(t *testing.T, b bus.Bus, game engine.Game, version uint64) {
	t.Helper()
	publishFor(t, b, game, "main", version)
}

// publishFor plays an agent's learner.
func publishFor(t *testing.T, b bus.Bus, game engine.Game, agent string, version uint64) {
	t.Helper()
	file, err := nn.NewFile(network(t, game, "main", version).Network, game, nil)
	require.NoError(t, err)
	data, err := file.Encode()
	require.NoError(t, err)
	sum := sha256.Sum256(data)
	name := messages.LiveObject(agent, version, sum)
	require.NoError(t, b.PutObject(t.Context(), name, data))
	pointer, err := messages.Encode(&messages.Pointer{Schema: messages.SchemaVersion, Agent: agent, Version: version,
		Object: name, Sha256: sum[:]})
	require.NoError(t, err)
	_, err = b.State().Put(t.Context(), messages.PointerKey(agent), pointer)
	require.NoError(t, err)
}

// newActor makes an actor of two workers.
func newActor(t *testing.T, b bus.Bus, game engine.Game, resolver player.Resolver, dir string) *Actor {
	t.Helper()
	config := DefaultConfig()
	config.Tables = 16
	a, err := New(Options{
		Common: roles.Common{
			Bus: b, Game: game, Run: testRun, RunSeed: testSeed, Dir: dir, Registerer: prometheus.NewRegistry(),
			Log: slog.New(slog.DiscardHandler),
		},
		Resolver: resolver, Config: config, ID: "actor-t", Start: "1", Agents: []Agent{{"main", 1}}, Workers: 2,
	})
	require.NoError(t, err)
	return a
}

// startActor runs an actor until the returned function is called.
func startActor(t *testing.T, b bus.Bus, game engine.Game, resolver player.Resolver, dir string) (stop func()) {
	t.Helper()
	a := newActor(t, b, game, resolver, dir)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	return func() {
		cancel()
		require.NoError(t, <-done)
	}
}

// drain reads all experience that arrives until there has been none for a while,
// checks it on arrival, and returns the batches.
func drain(t *testing.T, c bus.Consumer, game engine.Game,
	stop func(*messages.Experience) bool) []*messages.Experience {
	t.Helper()
	v := messages.NewVerifier(game, testRun, testSeed)
	var out []*messages.Experience
	for {
		fetched, err := c.Fetch(t.Context(), 16, 2*time.Second)
		require.NoError(t, err)
		if len(fetched) == 0 {
			return out
		}
		stopped := false
		for _, m := range fetched {
			e := &messages.Experience{}
			require.NoError(t, messages.Decode(m.Data(), e))
			require.NoError(t, v.Header(e))
			for i := range e.Episodes {
				require.NoError(t, v.Episode(e, i).Rest())
			}
			require.NoError(t, m.Ack(t.Context()))
			out = append(out, e)
			stopped = stopped || stop != nil && stop(e)
		}
		if stopped {
			return out
		}
	}
}

// TestLanes: an actor plays for several agents, each with its own weights, opponents and experience; one whose
// learner is behind, or gone, holds up no other learner.
func TestLanes(t *testing.T) {
	game := leducGame(t)
	b := memory.New(bus.Options{})
	defer b.Close()
	o := newActor(t, b, game, players{"main@1": network(t, game, "main@1", 0)}, t.TempDir()).opts
	o.Agents = []Agent{{"main", 1}, {"exploiter", 1}, {"absent", 1}}
	o.Registerer, o.Workers = prometheus.NewRegistry(), 1
	a, err := New(o)
	require.NoError(t, err)
	for _, agent := range []string{"main", "exploiter"} {
		publishFor(t, b, game, agent, 1)
	}
	table, err := messages.Encode(&messages.Matchmaking{
		Schema: messages.SchemaVersion, Learner: "exploiter", Opponents: []*messages.Opponent{{Name: "main@1", Weight: 1}},
	})
	require.NoError(t, err)
	_, err = b.State().Put(t.Context(), messages.MatchmakingKey("exploiter"), table)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()

	names := func(e *messages.Experience) (out []string) {
		for _, agent := range e.Agents {
			out = append(out, agent.Name)
		}
		return out
	}
	for agent, opponent := range map[string]string{"main": "", "exploiter": "main@1"} {
		c, err := b.Consume(ctx, bus.Experience, messages.LearnerOf(agent), messages.ExperienceFilter(agent))
		require.NoError(t, err)
		drain(t, c, game, func(e *messages.Experience) bool {
			for _, name := range names(e) {
				require.Contains(t, []string{agent, opponent}, name)
			}
			return opponent == "" || slices.Contains(names(e), opponent)
		})
	}
	// No learner takes the exploiter's games any more: its link pauses, main's continues.
	main, err := b.Consume(ctx, bus.Experience, messages.LearnerOf("main"), messages.ExperienceFilter("main"))
	require.NoError(t, err)
	lane := func(agent string) *learnerLink {
		return a.links[slices.IndexFunc(a.links, func(l *learnerLink) bool { return l.agent == agent })]
	}
	require.Eventually(t, func() bool {
		fetched, err := main.Fetch(ctx, 16, time.Millisecond)
		return err == nil && lane("exploiter").paused.Load() && len(fetched) > 0 && !lane("main").paused.Load()
	}, time.Minute, time.Millisecond)
	require.Equal(t, "playing", a.status().Words)
	cancel()
	require.NoError(t, <-done)
	info, err := b.Info(t.Context(), bus.Experience)
	require.NoError(t, err)
	require.NotZero(t, info.Last)
}

func TestActorTakesNewWeightsAndCountsWhatItProduces(t *testing.T) { synctest.Test(t, takesNewWeights) }

func takesNewWeights(t *testing.T) {
	game := leducGame(t)
	b := memory.New(bus.Options{})
	defer b.Close()
	learner := learnerOn(t, b)
	dir := t.TempDir()
	stop := startActor(t, b, game, players{"random": randomPlayer()}, dir)

	version := func(v uint64) func(*messages.Experience) bool {
		return func(e *messages.Experience) bool {
			return len(e.Agents) == 1 && e.Agents[0].Version == v
		}
	}
	publishWeights(t, b, game, 1)
	batches := drain(t, learner, game, version(1))
	publishWeights(t, b, game, 2)
	batches = append(batches, drain(t, learner, game, version(2))...)
	stop()
	batches = append(batches, drain(t, learner, game, nil)...)

	require.Positive(t, requireComplete(t, batches, dir))
}

// requireComplete checks that the batches are all that an actor's two workers ever
// published: they are numbered without a gap, the last one is empty, and the journal
// knows the same total. It returns the number of their episodes.
func requireComplete(t *testing.T, batches []*messages.Experience, dir string) (episodes uint64) {
	t.Helper()
	newest := map[string]*messages.Experience{}
	for _, e := range batches {
		last := newest[e.Actor]
		if last == nil {
			last = &messages.Experience{}
		}
		require.Equal(t, last.Sequence+1, e.Sequence)
		require.Equal(t, last.EpisodesBefore+uint64(len(last.Episodes)), e.EpisodesBefore)
		newest[e.Actor] = e
	}
	require.Len(t, newest, 2)
	for actor, last := range newest {
		require.Empty(t, last.Episodes, "closing batch")
		doc, err := os.ReadFile(filepath.Join(dir, "actors", actor+".json"))
		require.NoError(t, err)
		var produced Produced
		require.NoError(t, json.Unmarshal(doc, &produced))
		require.Equal(t, Produced{Actor: actor, Episodes: last.EpisodesBefore, Batches: last.Sequence, Closed: true},
			produced)
		episodes += produced.Episodes
	}
	return episodes
}

// endingBus ends the run when a batch of experience is about to go out.
type endingBus struct {
	bus.Bus
	end func()
}

func (b endingBus) Publish(ctx context.Context, stream bus.Stream, subject string, data []byte) error {
	if stream == bus.Experience {
		b.end()
	}
	return b.Bus.Publish(ctx, stream, subject, data)
}

func TestBatchUnderWayAtTheEndIsPublished(t *testing.T) { synctest.Test(t, underWayAtTheEnd) }

func underWayAtTheEnd(t *testing.T) {
	game := leducGame(t)
	b := memory.New(bus.Options{})
	defer b.Close()
	learner := learnerOn(t, b)
	publishWeights(t, b, game, 1)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	require.NoError(t, newActor(t, endingBus{b, cancel}, game, players{}, dir).Run(ctx))
	requireComplete(t, drain(t, learner, game, nil), dir)
}

// A worker that cannot start ends the others, which still say what they have done.
func TestActorEndsWhenAWorkerCannotStart(t *testing.T) {
	b := memory.New(bus.Options{})
	defer b.Close()
	dir := t.TempDir()
	taken := filepath.Join(dir, "actors", "actor-t-1-1.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(taken), 0o755))
	require.NoError(t, os.WriteFile(taken, nil, 0o600))
	require.ErrorContains(t, newActor(t, b, leducGame(t), players{}, dir).Run(t.Context()), "actor journal: ")
	data, err := os.ReadFile(filepath.Join(dir, "actors", "actor-t-1-0.json"))
	require.NoError(t, err)
	var other Produced
	require.NoError(t, json.Unmarshal(data, &other))
	require.True(t, other.Closed)
}

func TestActorPausesWhileTheLearnerIsBehind(t *testing.T) { synctest.Test(t, actorPauses) }

func actorPauses(t *testing.T) {
	game := leducGame(t)
	b := memory.New(bus.Options{})
	defer b.Close()
	learner := learnerOn(t, b)
	stop := startActor(t, b, game, players{}, "")
	defer stop()
	publishWeights(t, b, game, 1)
	status := awaitStatus(t, b, func(s *messages.Status) bool {
		return s.State == "waiting for the learner" && s.Values["games_per_second"] == 0
	})
	require.Positive(t, status.Values["games"])
	pending, _, err := learner.Pending(t.Context())
	require.NoError(t, err)
	require.Greater(t, pending, uint64(DefaultConfig().Backlog))
}

// TestActorWaitsForItsOwnBatches: where the learner throws away nearly all that it reads, since somebody floods it, an
// actor's own batches still wait, and the broker keeps no more.
func TestActorWaitsForItsOwnBatches(t *testing.T) { synctest.Test(t, waitsForItsOwnBatches) }

func waitsForItsOwnBatches(t *testing.T) {
	game := leducGame(t)
	b := memory.New(bus.Options{})
	defer b.Close()
	learner := learnerOn(t, b)
	beat, err := messages.Encode(&messages.Status{
		Schema: messages.SchemaVersion, Role: messages.LearnerRole, Id: "learner", Agent: "main",
		Values: map[string]float64{messages.RefusedShare: 0.999},
	})
	require.NoError(t, err)
	_, err = b.Roles().Put(t.Context(), messages.RoleKey(messages.LearnerRole, "learner"), beat)
	require.NoError(t, err)
	stop := startActor(t, b, game, players{}, "")
	defer stop()
	publishWeights(t, b, game, 1)
	waiting := func() uint64 {
		pending, _, err := learner.Pending(t.Context())
		require.NoError(t, err)
		return pending
	}
	require.Eventually(t, func() bool { return waiting() > maxUnread }, time.Minute, time.Millisecond)
	awaitStatus(t, b, func(s *messages.Status) bool {
		return s.State == "waiting for the learner" && s.Values["games_per_second"] == 0
	})
	require.LessOrEqual(t, waiting(), uint64(2*maxUnread+2), "and one of each worker")
}

// learnerOn is the learner as far as reading experience goes.
func learnerOn(t *testing.T, b bus.Bus) bus.Consumer {
	t.Helper()
	learner, err := b.Consume(t.Context(), bus.Experience, messages.LearnerOf("main"), messages.ExperienceFilter("main"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, learner.Close()) })
	return learner
}

func awaitStatus(t *testing.T, b bus.Bus, want func(*messages.Status) bool) *messages.Status {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	entries, err := b.Roles().Watch(ctx, messages.RoleKey("actor", "actor-t"))
	require.NoError(t, err)
	for e := range entries {
		if e.Value == nil {
			continue
		}
		s := &messages.Status{}
		require.NoError(t, messages.Decode(e.Value, s))
		if want(s) {
			return s
		}
	}
	t.Fatal("no such heartbeat")
	return nil
}

func TestActorPlaysMatchesOnce(t *testing.T) {
	game := leducGame(t)
	hash := engine.RulesHash(game)
	b := memory.New(bus.Options{})
	defer b.Close()
	one := network(t, game, "main@1", 1)
	stop := startActor(t, b, game, players{"random": randomPlayer(), "main@1": one}, "")
	defer stop()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	results, err := b.Read(ctx, bus.Results, 1)
	require.NoError(t, err)

	good := &messages.Match{Schema: messages.SchemaVersion, Run: testRun, Id: "m-1", RulesHash: hash[:], A: "main@1",
		B: "random", Sets: 5}
	wrong := &messages.Match{Schema: messages.SchemaVersion, Run: "other", Id: "m-0", RulesHash: hash[:], A: "main@1",
		B: "random", Sets: 5}
	for _, m := range []*messages.Match{wrong, good, good} {
		data, err := messages.Encode(m)
		require.NoError(t, err)
		require.NoError(t, b.Publish(ctx, bus.Matches, m.Id, data))
	}
	for m := range results {
		if m == nil {
			continue
		}
		id, author, ok := messages.ParseResultSubject(m.Subject())
		require.True(t, ok)
		require.Equal(t, "m-1", id)
		require.Equal(t, "actor-t", author)
		want, err := messages.Encode(playMatchSeed(t, game, testSeed, good, one, randomPlayer()))
		require.NoError(t, err)
		require.Equal(t, want, m.Data())
		break
	}
	// The second copy is refused by the stream, or has another author; in the end the queue is empty.
	require.Eventually(t, func() bool {
		info, err := b.Info(ctx, bus.Matches)
		return err == nil && info.Messages == 0
	}, time.Minute, 10*time.Millisecond)
	info, err := b.Info(ctx, bus.Results)
	require.NoError(t, err)
	require.LessOrEqual(t, int(info.Messages), 2)
}

// A match whose player takes long to load does not hold up the others.
// A tournament's match is dealt by its own seed, and its result goes, with the games, to the process that holds it.
func TestActorPlaysTournaments(t *testing.T) {
	game := leducGame(t)
	hash := engine.RulesHash(game)
	b := memory.New(bus.Options{})
	defer b.Close()
	one, other := network(t, game, "main@1", 1), randomPlayer()
	stop := startActor(t, b, game, players{"random": other, "main@1": one}, "")
	defer stop()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	outcomes, err := b.Read(ctx, bus.Outcomes, 1)
	require.NoError(t, err)
	require.Nil(t, <-outcomes)
	seed := uint64(99)
	match := &messages.Match{
		Schema: messages.SchemaVersion, Run: testRun, Id: "m-1", RulesHash: hash[:], A: "main@1", B: "random", Sets: 5,
		Seed: &seed,
	}
	want, games, err := PlayAndKeep(ctx, game, seed, match, one, other, 4)
	require.NoError(t, err)
	data, err := messages.Encode(match)
	require.NoError(t, err)
	require.NoError(t, b.Publish(ctx, bus.Contests, "cup.m-1", data))
	m := <-outcomes
	require.Equal(t, "cup.m-1.actor-t", m.Subject())
	got := &messages.Result{}
	require.NoError(t, messages.Decode(m.Data(), got))
	require.Equal(t, len(games[0].Games), len(got.Games[0].Games))
	got.Games = nil
	_, err = messages.Encode(want) // which stamps it
	require.NoError(t, err)
	require.True(t, proto.Equal(want, got))
	info, err := b.Info(ctx, bus.Results)
	require.NoError(t, err)
	require.Zero(t, info.Last)
}

func TestSlowPlayerDoesNotHoldUpOtherMatches(t *testing.T) {
	game := leducGame(t)
	hash := engine.RulesHash(game)
	b := memory.New(bus.Options{})
	defer b.Close()
	r := newSlowResolver("slow", "quick")
	close(r.gates["quick"])
	stop := startActor(t, b, game, r, "")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	results, err := b.Read(ctx, bus.Results, 1)
	require.NoError(t, err)
	publish := func(id, opponent string) {
		data, err := messages.Encode(&messages.Match{Schema: messages.SchemaVersion, Run: testRun, Id: id, RulesHash: hash[:],
			A: opponent, B: "quick", Sets: 2})
		require.NoError(t, err)
		require.NoError(t, b.Publish(ctx, bus.Matches, id, data))
	}
	for i, opponent := range []string{"slow", "quick", "quick", "slow"} {
		publish(fmt.Sprint("m-", i), opponent)
	}
	arrived := func(n int) (ids []string) {
		for m := range results {
			if m == nil {
				continue
			}
			id, _, _ := messages.ParseResultSubject(m.Subject())
			if ids = append(ids, id); len(ids) == n {
				break
			}
		}
		return ids
	}
	require.ElementsMatch(t, []string{"m-1", "m-2"}, arrived(2))
	close(r.gates["slow"])
	require.ElementsMatch(t, []string{"m-0", "m-3"}, arrived(2))
	stop()
}

func playMatchSeed(t *testing.T, game engine.Game, seed uint64, match *messages.Match,
	a, b *player.Player) *messages.Result {
	t.Helper()
	result, err := PlayMatch(t.Context(), game, seed, match, a, b, 3)
	require.NoError(t, err)
	return result
}

func TestNewRefusesWrongOptions(t *testing.T) {
	options := func() Options {
		return Options{
			Common: roles.Common{Registerer: prometheus.NewRegistry()},
			Config: DefaultConfig(), ID: "a", Start: "1", Workers: 1, Agents: []Agent{{"main", 1}},
		}
	}
	for want, spoil := range map[string]func(*Options){
		"tables":      func(o *Options) { o.Config.Tables = 0 },
		"arena_share": func(o *Options) { o.Config.ArenaShare = 2 },
		"backlog":     func(o *Options) { o.Config.Backlog = 0 },
		"workers":     func(o *Options) { o.Workers = 0 },
		"actor id":    func(o *Options) { o.ID = "a b" },
		"no agent":    func(o *Options) { o.Agents = nil },
	} {
		o := options()
		spoil(&o)
		_, err := New(o)
		require.ErrorContains(t, err, want)
	}
}
