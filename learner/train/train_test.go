package train

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/kuhn"
	"croupier/games/pig"
	"croupier/learner/train/graph"
	"croupier/messages"
	"croupier/nn"
	"croupier/policy"
	"croupier/solver"
)

// trial is what a trainer of a test begins with.
type trial struct {
	Game   engine.Game
	Layout *nn.Layout
	Config Config
}

// kuhnTrial is a small one of Kuhn poker.
func kuhnTrial(t testing.TB) trial {
	t.Helper()
	c := DefaultConfig()
	c.PPO.Samples, c.PPO.Minibatch = 256, 128
	return trial{kuhn.Game{}, testLayout(t, kuhn.Game{}, nn.Description{Dense: []int{16}}), c}
}

// dqnTrial is one of a short game of Pig.
func dqnTrial(t testing.TB, d nn.Description) trial {
	t.Helper()
	game, err := pig.New([]byte("target: 15"))
	require.NoError(t, err)
	d.Dueling = true
	c := DefaultConfig()
	c.Algorithm, c.SequenceLength, c.LearningRateStart, c.LearningRateEnd = "dqn", 8, 3e-3, 3e-4
	c.DQN.Samples, c.DQN.Minibatch, c.DQN.TargetInterval = 1024, 256, 20
	return trial{game, testLayout(t, game, d), c}
}

// setup begins with the weights of a seed.
func (o trial) setup(t testing.TB, seed uint64, workers int) Setup {
	t.Helper()
	n, err := nn.NewNetwork(o.Layout, o.Layout.Init(seed))
	require.NoError(t, err)
	return Setup{o.Config, []engine.Game{o.Game}, n, 1, workers, nil, 0, nil}
}

func (o trial) ppo(t testing.TB, workers int) *ppo {
	t.Helper()
	tr, err := newPPO(o.Config.PPO, o.setup(t, 5, workers))
	require.NoError(t, err)
	return tr
}

func (o trial) dqn(t testing.TB) *dqn {
	t.Helper()
	tr, err := newDQN(o.Config.DQN, o.setup(t, 1, 2))
	require.NoError(t, err)
	return tr
}

func testLayout(t testing.TB, game engine.Game, d nn.Description) *nn.Layout {
	t.Helper()
	l, err := nn.NewLayout(d, game.Spec())
	require.NoError(t, err)
	return l
}

// recording is a rollout, and a recorder that is shown games for it step by step.
type recording struct {
	*Rollout
	*Recorder
}

// recordingOf returns an empty one of a trainer's.
func recordingOf(game engine.Game, t Trainer) *recording {
	return &recording{NewRollout(game.Spec()), t.NewRecorder()}
}

// keep adds the game that was shown, with its results.
func (r *recording) keep(results ...float32) {
	r.rows.episode.Versions = make([]uint64, len(results))
	r.Rollout.Add(r.end(results), 1)
}

// playRandomly fills a rollout with games of random choices in all seats, and returns their histories.
func playRandomly(t testing.TB, game engine.Game, in *recording, games int, seed uint64) (histories [][]byte) {
	rng := engine.NewRNG(seed, engine.ActionStream)
	s, width := game.NewState(), messages.HistoryWidth(game.Spec())
	results := make([]float64, game.Spec().Seats)
	for range games {
		e := &Episode{Seed: rng.Uint64()}
		in.begin(e)
		s.Reset()
		for s.Player() != engine.Terminal {
			action := 0
			if s.Player() == engine.Chance {
				action = s.SampleChance(rng)
				in.visit(&Step{s, engine.Chance, action, nil, 0, false})
			} else {
				legal := s.LegalActions(nil)
				action = legal[rng.IntN(len(legal))]
				in.visit(&Step{s, s.Player(), action, legal, -1, true})
			}
			e.History = messages.AppendStep(e.History, width, action)
			require.NoError(t, s.Apply(action))
		}
		s.Returns(results)
		var shares []float32
		for _, x := range results {
			shares = append(shares, float32(x/game.Spec().MaxReturn))
		}
		in.keep(shares...)
		histories = append(histories, e.History)
	}
	return histories
}

func exploitability(t *testing.T, n *nn.Network) float64 {
	t.Helper()
	tree, err := solver.NewTree(kuhn.Game{}, solver.MaxNodes)
	require.NoError(t, err)
	s, err := solver.StrategyOf(tree, func() policy.Policy { return nn.NewPolicy(n, policy.Sampled) })
	require.NoError(t, err)
	return s.Exploitability()
}

// poisoned computes gradients that are not finite, or wrong, from a certain call on.
type poisoned struct {
	gradienter
	poison  float32
	healthy int // calls before
}

func (p *poisoned) Gradient(loss graph.Loss, gradient []float32) (graph.Stats, error) {
	stats, err := p.gradienter.Gradient(loss, gradient)
	if p.healthy--; p.healthy < 0 {
		gradient[0] = p.poison
	}
	return stats, err
}

// interrupting ends the run at a certain call.
type interrupting struct {
	gradienter
	calls, last int
	interrupt   func()
}

func (g *interrupting) Gradient(loss graph.Loss, gradient []float32) (graph.Stats, error) {
	if g.calls++; g.calls == g.last {
		g.interrupt()
	}
	return g.gradienter.Gradient(loss, gradient)
}
