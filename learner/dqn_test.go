package learner

import (
	"math"
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/games/pig"
	"croupier/nn"
	"croupier/policy"
)

// dqnOptions returns options of a learner of a short game of Pig.
func dqnOptions(t *testing.T, d nn.Description) Options {
	o := testOptions(t)
	game, err := pig.New([]byte("target: 15"))
	require.NoError(t, err)
	d.Dueling = true
	o.Game, o.Layout = game, testLayout(t, game, d)
	c := &o.Config
	c.Algorithm, c.SequenceLength = "dqn", 8
	c.LearningRateStart, c.LearningRateEnd = 3e-3, 3e-4
	c.DQN.Samples, c.DQN.Minibatch, c.DQN.TargetInterval = 1024, 256, 20
	return o
}

func dqnOf(l *Learner) *dqn { return l.trainer.(*dqn) }

// winsAgainstRandom returns the share of games that a network wins against random play.
func winsAgainstRandom(t *testing.T, game engine.Game, n *nn.Network) float64 {
	const games = 400
	wins := 0.0
	returns := make([]float64, 2)
	for k := range uint64(games) {
		players := []policy.Policy{policy.Random{}, policy.Random{}}
		own := int(k % 2)
		players[own] = nn.NewPolicy(n, policy.Sampled)
		s, rng := game.NewState(), engine.NewRNG(k, 0)
		play := engine.Play{State: s, Chance: rng, Choose: func(seat int, legal []int) int {
			return players[seat].Choose(s, legal, rng)
		}}
		require.NoError(t, play.ToEnd())
		s.Returns(returns)
		wins += (returns[own] + 1) / 2 / games
	}
	return wins
}

// TestDQNLearnsPig trains in step with the learner, with the published exploration.
func TestDQNLearnsPig(t *testing.T) {
	for name, test := range map[string]struct {
		network  nn.Description
		versions int
	}{
		"feed-forward": {nn.Description{Dense: []int{32}}, 40},
		"recurrent":    {nn.Description{Dense: []int{16}, LSTM: []int{16}}, 25},
	} {
		t.Run(name, func(t *testing.T) {
			o := dqnOptions(t, test.network)
			o.Config.Horizon = uint64(test.versions * o.Config.DQN.Samples)
			l, stop := start(t, o)
			a := newTestActor(t, o.Game, "actor-1")
			a.follow(t.Context(), o.Bus)
			train(t, o, a, test.versions)
			require.NoError(t, stop())
			wins := winsAgainstRandom(t, o.Game, a.network)
			t.Logf("wins %.3f of the games against random play", wins)
			require.Greater(t, wins, 0.8)
			require.Equal(t, l.now().Games, uint64(dqnOf(l).replay.games()))
		})
	}
}

// TestNStepTargets compares with the definition.
func TestNStepTargets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length, n := rapid.IntRange(1, 12).Draw(t, "length"), rapid.IntRange(1, 15).Draw(t, "n")
		gamma := rapid.Float64Range(0.5, 1).Draw(t, "gamma")
		r := newRollout(testLayoutSpec)
		r.sequences = []sequence{{first: 0, length: 2, result: -1}, {first: 2, length: length, result: 0.5}}
		r.actions, r.spans = make([]int32, 2+length), ones(2+length)
		r.rewards = rapid.SliceOfN(rapid.Float32Range(-1, 1), 2+length, 2+length).Draw(t, "rewards")
		r.values = rapid.SliceOfN(rapid.Float32Range(-1, 1), 2+length, 2+length).Draw(t, "values")
		r.estimateActions(n, float32(gamma))
		for _, s := range r.sequences {
			for k := range s.length {
				want := math.Pow(gamma, float64(s.length-1-k)) * float64(s.result)
				if k+n < s.length {
					want = math.Pow(gamma, float64(n)) * float64(r.values[s.first+k+n])
				}
				for j := range min(n, s.length-k) {
					want += math.Pow(gamma, float64(j)) * float64(r.rewards[s.first+k+j])
				}
				require.InDelta(t, want, r.targets[s.first+k], 1e-5)
			}
		}
	})
}

var testLayoutSpec = &engine.Spec{Seats: 1, Actions: 2, ObservationSize: 1}

// TestDoubleValues: the network chooses, the target network values the choice, and the
// prediction is the network's own value of the action taken.
func TestDoubleValues(t *testing.T) {
	o := dqnOptions(t, nn.Description{Dense: []int{8}})
	online, err := nn.NewNetwork(o.Layout, o.Layout.Init(1))
	require.NoError(t, err)
	tr, err := newDQN(o.Config.DQN, testSetup(o, online, 2))
	require.NoError(t, err)
	tr.target, err = nn.NewNetwork(o.Layout, o.Layout.Init(2))
	require.NoError(t, err)
	g := testIngestion(t, o, 5)
	a := playingActor(t, o, "actor-1", 4)
	a.exploration = 1 // greedy play of first weights may hold for ever
	require.NoError(t, g.batch(t.Context(), fakeMessage{encode(t, a.batch(500))}))
	_, err = tr.learn(t.Context(), g.rollout, 0)
	require.NoError(t, err)

	tr.draw(500, 1)
	r := tr.rollout
	require.GreaterOrEqual(t, r.len(), 500)
	r.prepare(1, 0)
	tr.evaluate(tr.target, r, takeAll)
	tr.predicted = resize(tr.predicted, r.len())
	tr.evaluate(tr.network, r, tr.takeDouble)
	choose, evaluatePositions := tr.network.NewEvaluator(1, 0), tr.target.NewEvaluator(1, 0)
	differ := 0
	for i := range r.len() {
		start, end := r.legalRange(i)
		for _, e := range []*nn.Evaluator{choose, evaluatePositions} {
			copy(e.Observation(0), r.observation(i))
			e.SetLegal(0, r.legal[start:end])
			e.Forward(1)
		}
		q := choose.ActionValues(0)
		best := slices.Index(q, choose.Value(0))
		require.Equal(t, evaluatePositions.ActionValues(0)[best], r.values[i])
		require.Equal(t, q[r.actions[i]], tr.predicted[i])
		if r.values[i] != evaluatePositions.Value(0) {
			differ++
		}
	}
	require.Positive(t, differ, "the networks choose differently somewhere")
}

func TestDQNResumes(t *testing.T) {
	o := dqnOptions(t, nn.Description{Dense: []int{8}, LSTM: []int{8}})
	o.Config.DQN.TargetInterval = 1000
	l, stop := start(t, o)
	a := newTestActor(t, o.Game, "actor-1")
	p := a.follow(t.Context(), o.Bus)
	require.InDelta(t, 1, p.Exploration, 1e-9)
	train(t, o, a, 3)
	require.NoError(t, stop())
	first, err := l.trainer.snapshot()
	require.NoError(t, err)
	require.NotEqual(t, first.Weights, first.Second, "the target network lags")

	o.Resume = true
	l, stop = start(t, withRegistry(o))
	second, err := l.trainer.snapshot()
	require.NoError(t, err)
	require.Equal(t, first, second, "weights, target, moments, steps and random stream are bit for bit the same")
	a.follow(t.Context(), o.Bus)
	q := train(t, o, a, 1)
	require.NoError(t, stop())
	require.Greater(t, q.Updates, p.Updates)

	o.Config.Algorithm, o.Layout = "ppo", testLayout(t, o.Game, nn.Description{Dense: []int{8}, LSTM: []int{8}})
	_, err = New(withRegistry(o))
	require.ErrorContains(t, err, "it is for another network")
}

// TestUnsoundActionValuesAreNeverPublished: as with PPO, everything stays as before.
func TestUnsoundActionValuesAreNeverPublished(t *testing.T) {
	o := dqnOptions(t, nn.Description{Dense: []int{8}})
	o.Config.Workers = 1
	l, err := New(o)
	require.NoError(t, err)
	tr := dqnOf(l)
	p := &poisoned{gradienter: tr.workers[0].graph, poison: float32(math.NaN()), healthy: 5}
	tr.workers[0].graph = p
	require.NoError(t, l.open(t.Context()))
	a := newTestActor(t, o.Game, "actor-1")
	a.follow(t.Context(), o.Bus)
	deliver(t, o, l.ingestion, a.id, encode(t, a.batch(1000)))
	network := tr.network
	require.NoError(t, settled(t, l, l.iterate(t.Context(), l.ingestion.rollout)))
	require.Same(t, network, tr.network)
	require.Same(t, network, tr.target)
	require.Zero(t, tr.adam.step)
	require.EqualValues(t, 1, l.newest.Load(), "nothing is published")
	require.EqualValues(t, 1, testutil.ToFloat64(l.metrics.rollbacks))
}

// TestDQNIsSeen reads the curves of an iteration.
func TestDQNIsSeen(t *testing.T) {
	o := dqnOptions(t, nn.Description{Dense: []int{8}})
	l, err := New(o)
	require.NoError(t, err)
	require.NoError(t, l.open(t.Context()))
	a := newTestActor(t, o.Game, "actor-1")
	a.follow(t.Context(), o.Bus)
	deliver(t, o, l.ingestion, a.id, encode(t, a.batch(500)))
	require.NoError(t, settled(t, l, l.iterate(t.Context(), l.ingestion.rollout)))
	l.curve.last = l.curve.last.Add(-2 * curveInterval)
	l.curve.publish(t.Context(), l, curveInterval)
	var series []string
	for _, p := range readPoints(t, o).Points {
		series = append(series, p.Series)
		require.False(t, math.IsNaN(p.Value), p.Series)
	}
	require.Equal(t, []string{
		"q_loss", "td_error", "mean_q", "explained_variance", "exploration", "replay_games", "replay_age", "learning_rate",
		"gradient_norm", "lag", "updates_per_second", "samples_per_second", "games_per_second",
		"decisions_per_second", "episode_length",
		"figure/turn_points", "figure/turns_lost", "figure/hold_points",
	}, series)
	require.True(t, math.IsNaN(testutil.ToFloat64(l.metrics.series["entropy"])), "DQN has none")
	require.EqualValues(t, a.games, testutil.ToFloat64(l.metrics.series["replay_games"]))
}
