package learner

import (
	"math"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

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
			trainFor(t, o, a, test.versions)
			require.NoError(t, stop())
			wins := winsAgainstRandom(t, o.Game, a.network)
			t.Logf("wins %.3f of the games against random play", wins)
			require.Greater(t, wins, 0.8)
			require.EqualValues(t, l.now().Games, testutil.ToFloat64(l.metrics.series["replay_games"]))
		})
	}
}

func TestDQNResumes(t *testing.T) {
	o := dqnOptions(t, nn.Description{Dense: []int{8}, LSTM: []int{8}})
	o.Config.DQN.TargetInterval = 1000
	l, stop := start(t, o)
	a := newTestActor(t, o.Game, "actor-1")
	p := a.follow(t.Context(), o.Bus)
	require.InDelta(t, 1, p.Exploration, 1e-9)
	trainFor(t, o, a, 3)
	require.NoError(t, stop())
	first, err := l.trainer.Snapshot()
	require.NoError(t, err)
	require.NotEqual(t, first.Weights, first.Second, "the target network lags")

	o.Resume = true
	l, stop = start(t, withRegistry(o))
	second, err := l.trainer.Snapshot()
	require.NoError(t, err)
	require.Equal(t, first, second, "weights, target, moments, steps and random stream are bit for bit the same")
	a.follow(t.Context(), o.Bus)
	q := trainFor(t, o, a, 1)
	require.NoError(t, stop())
	require.Greater(t, q.Updates, p.Updates)

	o.Config.Algorithm, o.Layout = "ppo", testLayout(t, o.Game, nn.Description{Dense: []int{8}, LSTM: []int{8}})
	_, err = New(withRegistry(o))
	require.ErrorContains(t, err, "it is for another network")
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
	for _, p := range learnersPoints(t, o).Points {
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
