package learner

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/kuhn"
	"croupier/learner/train"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/messages/roles"
	"croupier/nn"
)

const (
	testRun  = "run-1"
	testSeed = 42
)

// testOptions returns options of a small learner of Kuhn poker on a bus in memory.
func testOptions(t *testing.T) Options {
	t.Helper()
	b := memory.New(bus.Options{})
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	c := train.DefaultConfig()
	c.PPO.Samples, c.PPO.Minibatch, c.Workers = 256, 128, 2
	return Options{
		Common: roles.Common{
			Bus: b, Game: kuhn.Game{}, Run: testRun, RunSeed: testSeed, Dir: t.TempDir(),
			Registerer: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
		},
		Layout: testLayout(t, kuhn.Game{}, nn.Description{Dense: []int{16}}), Config: c, Agent: "main", Backlog: 8,
	}
}

func testLayout(t testing.TB, game engine.Game, d nn.Description) *nn.Layout {
	t.Helper()
	l, err := nn.NewLayout(d, game.Spec())
	require.NoError(t, err)
	return l
}

// testActor plays self-play games with the published weights, one batch at a time.
type testActor struct {
	t       testing.TB
	game    engine.Game
	id      string
	agent   *messages.Agent
	network *nn.Network
	// exploration is as the learner asked for.
	exploration float64

	batches, games uint64
}

func newTestActor(t testing.TB, game engine.Game, id string) *testActor {
	return &testActor{t: t, game: game, id: id, agent: &messages.Agent{Name: "main", Learning: true}}
}

// follow waits until a version newer than its own is published, and adopts it.
func (a *testActor) follow(ctx context.Context, b bus.Bus) *messages.Pointer {
	entries, err := b.State().Watch(ctx, messages.PointerKey(a.agent.Name))
	require.NoError(a.t, err)
	for e := range entries {
		if e.Key == "" {
			continue
		}
		p := &messages.Pointer{}
		require.NoError(a.t, messages.Decode(e.Value, p))
		if p.Version <= a.agent.Version {
			continue
		}
		data, err := b.GetObject(ctx, p.Object)
		require.NoError(a.t, err)
		file, _, err := nn.Decode(data, func(string, []byte) (engine.Game, error) { return a.game, nil })
		require.NoError(a.t, err)
		a.exploration = p.Exploration
		a.network, a.agent = file.Network, &messages.Agent{Name: a.agent.Name, Learning: true, Version: p.Version}
		return p
	}
	a.t.Fatal("no newer weights")
	return nil
}

// batch plays games until they have at least the given number of decisions.
func (a *testActor) batch(decisions int) *messages.Experience {
	hash := engine.RulesHash(a.game)
	a.batches++
	x := &messages.Experience{
		Schema: messages.SchemaVersion, Run: testRun, Actor: a.id, Sequence: a.batches, EpisodesBefore: a.games,
		RulesHash: hash[:], Agents: []*messages.Agent{a.agent},
	}
	evaluator := a.network.NewEvaluator(1, a.game.Spec().Seats)
	evaluator.SetExploration(a.exploration)
	for made := 0; made < decisions; {
		e := a.play(evaluator)
		x.Episodes = append(x.Episodes, e)
		made += len(e.LogProbs) / 4
	}
	return x
}

// play plays one game.
func (a *testActor) play(evaluator *nn.Evaluator) *messages.Episode {
	spec, s := a.game.Spec(), a.game.NewState()
	seed := engine.GameSeed(testSeed, messages.TrainPurpose(a.id), a.games)
	e := &messages.Episode{Number: a.games, Seed: seed, Seats: make([]byte, spec.Seats)}
	a.games++
	chance, choice := engine.NewRNG(seed, engine.ChanceStream), engine.NewRNG(seed, engine.ActionStream)
	for seat := range spec.Seats {
		if a.network.Layout.StateSize > 0 {
			evaluator.ResetSlot(seat)
		}
	}
	play := engine.Play{State: s, Chance: chance, Choose: func(seat int, legal []int) int {
		s.Observe(seat, evaluator.Observation(0))
		evaluator.SetLegal(0, legal)
		evaluator.SetSlot(0, seat)
		evaluator.Forward(1)
		action, logProb := evaluator.Sample(0, choice)
		e.LogProbs = messages.AppendFloat(e.LogProbs, logProb)
		return action
	}}
	for s.Player() != engine.Terminal {
		step, err := play.Step()
		require.NoError(a.t, err)
		e.History = messages.AppendStep(e.History, messages.HistoryWidth(spec), step)
	}
	returns := make([]float64, spec.Seats)
	s.Returns(returns)
	for _, r := range returns {
		e.Returns = messages.AppendFloat(e.Returns, float32(r))
	}
	return e
}

// send publishes a batch.
func (a *testActor) send(ctx context.Context, b bus.Bus, x *messages.Experience) {
	data, err := messages.Encode(x)
	require.NoError(a.t, err)
	require.NoError(a.t, b.Publish(ctx, bus.Experience, messages.ExperienceSubject(a.id, a.agent.Name), data))
}

// start runs a learner; stop ends it and waits for it.
func start(t *testing.T, o Options) (l *Learner, stop func() error) {
	t.Helper()
	l, err := New(o)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	return l, func() error {
		cancel()
		select {
		case err := <-done:
			return err
		case <-time.After(time.Minute):
			t.Fatal("the learner does not stop")
			return nil
		}
	}
}

// trainFor plays and trains for a number of versions, in step with the learner: one rollout of
// games with each version. The actor must already follow the newest one.
func trainFor(t *testing.T, o Options, a *testActor, versions int) (p *messages.Pointer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	algorithm, err := o.Config.Choose()
	require.NoError(t, err)
	for range versions {
		a.send(ctx, o.Bus, a.batch(algorithm.Samples))
		p = a.follow(ctx, o.Bus)
	}
	return p
}

// rolloutOf returns what ingestion has gathered.
func rolloutOf(g *ingestion) *train.Rollout { return g.rollout.Rollout }

// rate returns the step size with which a learner's trainer begins now.
func rate(l *Learner) float64 {
	return l.trainer.(interface {
		LearningRate(progress float64) float64
	}).LearningRate(0)
}

// unsound is a trainer whose iterations are undone from a certain one on.
type unsound struct {
	train.Trainer
	healthy int // iterations before
}

func (u *unsound) Learn(ctx context.Context, r *train.Rollout, progress float64) (train.Report, error) {
	if u.healthy--; u.healthy < 0 {
		return train.Report{Updates: 1, LearningRate: 1e-9}, fmt.Errorf("%w: poisoned", train.ErrUnsound)
	}
	return u.Trainer.Learn(ctx, r, progress)
}

// settled waits for the end of the publication that an action of the learner's has begun, and
// returns the first error of both.
func settled(t *testing.T, l *Learner, err error) error {
	return cmp.Or(err, l.catchUp(t.Context()), l.settle(t.Context()))
}
