package search

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/pig"
	pigsolve "croupier/games/pig/solve"
	"croupier/internal/stat"
	"croupier/nn"
	"croupier/policy"
)

// pigWithErrors returns a small Pig, its optimum, and a model whose policy is good and whose
// values have errors of that standard deviation: log-odds are what an action is worth more,
// 100 to 1 for a whole win.
func pigWithErrors(t *testing.T, deviation float64) (engine.Game, policy.Valuer, *fixed) {
	game := newGame(t, "pig", "target: 40")
	factory, _, err := pigsolve.SolveTables(t.Context(), game)
	require.NoError(t, err)
	optimum := factory().(policy.Valuer)
	exact := make([]policy.Value, 2)
	model := newFixed(16, func(s engine.State, legal []int) float64 {
		optimum.Values(s, legal, exact)
		// hashed is uniform in -1..1.
		return 2*max(exact[pig.Roll].Mean, exact[pig.Hold].Mean) - 1 + deviation*math.Sqrt(3)*hashed(s, legal)
	})
	model.prior = func(s engine.State, legal []int, dst []float64) {
		optimum.Values(s, legal, exact)
		for i := range legal {
			dst[i] = 100 * exact[i].Mean
		}
	}
	return game, optimum, model
}

// loss returns the win probability that a policy gives away per decision of random games.
func loss(t *testing.T, game engine.Game, optimum policy.Valuer, p policy.Policy) float64 {
	values, sum, n := make([]policy.Value, 2), 0.0, 0
	play(t, game, 30, func(s engine.State, legal []int) {
		optimum.Values(s, legal, values)
		sum += max(values[0].Mean, values[1].Mean) - values[p.Choose(s, legal, nil)].Mean
		n++
	})
	return sum / float64(n)
}

// With noisy values behind a good policy, a search that knows of the noise is not worse than the
// policy, and one that does not is.
func TestPriorOutweighsNoise(t *testing.T) {
	game, optimum, model := pigWithErrors(t, 0.3)
	o := Options{Depth: 1, Samples: 1}
	noise := Residual(game, model, o)
	require.InDelta(t, math.Sqrt(7./6)*0.3, noise.Difference, 0.05)
	require.Less(t, loss(t, game, optimum, New(game, model, noise, o)), 1e-4)
	require.Greater(t, loss(t, game, optimum, New(game, model, Noise{}, o)), 1e-3)
}

// With exact values behind a bad policy, a search plays the optimum.
func TestValuesOutweighABadPrior(t *testing.T) {
	game, optimum, model := pigWithErrors(t, 0)
	good := model.prior
	model.prior = func(s engine.State, legal []int, dst []float64) {
		good(s, legal, dst)
		for i := range legal {
			dst[i] = -dst[i]
		}
	}
	require.Less(t, loss(t, game, optimum, New(game, model, Noise{}, Options{Depth: 1, Samples: 1})), 1e-9)
}

// A sure win is taken, whatever the noise and the prior.
func TestSureWins(t *testing.T) {
	game, _, model := pigWithErrors(t, 0)
	model.prior = func(_ engine.State, legal []int, dst []float64) { dst[pig.Roll], dst[pig.Hold] = 20, 0 }
	p, wins := New(game, model, Noise{10, 10}, Options{Depth: 1, Samples: 1}), 0
	play(t, game, 300, func(s engine.State, legal []int) {
		after := s.Clone()
		require.NoError(t, after.Apply(pig.Hold))
		if after.Player() == engine.Terminal {
			wins++
			require.Equal(t, pig.Hold, p.Choose(s, legal, nil))
		} else {
			require.Equal(t, pig.Roll, p.Choose(s, legal, nil))
		}
	})
	require.Positive(t, wins)
}

// What a model takes for a sure win is none.
func TestBelievedWinsAreNotSure(t *testing.T) {
	game := newGame(t, "pig", "target: 40")
	mover, before := -1, int64(0)
	model := newFixed(16, func(s engine.State, _ []int) float64 {
		if s.Player() == mover || s.Scores(nil)[mover] == before { // rolled, or rolled a 1
			return math.Copysign(1, float64(1-2*(s.Player()^mover)))
		}
		return -0.99 // the opponent, after a hold
	})
	model.prior = func(_ engine.State, legal []int, dst []float64) { dst[pig.Roll], dst[pig.Hold] = 0, 2 }
	p := New(game, model, Noise{0.1, 0.1}, Options{Depth: 1, Samples: 1})
	play(t, game, 2, func(s engine.State, legal []int) {
		mover = s.Player()
		before = s.Scores(nil)[mover]
		require.Equal(t, pig.Hold, p.Choose(s, legal, nil))
	})
}

// The residual of exact values is what is not known of it; that of noisy ones is their noise: whole after a hold, whose
// value the model says, and the mean of six after a roll.
func TestResidual(t *testing.T) {
	for _, deviation := range []float64{0, 0.2} {
		game, _, model := pigWithErrors(t, deviation)
		got := Residual(game, model, Options{Depth: 1, Samples: 1})
		require.GreaterOrEqual(t, got.Value, deviation/math.Sqrt(6))
		require.LessOrEqual(t, got.Value, deviation+0.03)
		require.InDelta(t, math.Sqrt(7./6)*deviation, got.Difference, 0.03+0.1*deviation)
		if deviation > 0 {
			require.Equal(t, got, Residual(game, model, Options{Depth: 1, Samples: 1}), "it is always the same")
		}
	}
}

// What all actions of a position share says nothing about which is better: here what the model thinks of each second
// hand, whatever is played in it.
func TestResidualOfDifferencesLeavesOutWhatIsShared(t *testing.T) {
	game := newGame(t, "tysiac", "{game: {max_hands: 20}, bombing: {enabled: false}}")
	segments := game.Spec().Segments
	at := segments[slices.IndexFunc(segments, func(s engine.Segment) bool { return s.Name == "game" })].Offset
	observation := make([]float32, game.Spec().ObservationSize)
	model := newFixed(64, func(s engine.State, _ []int) float64 {
		s.Observe(s.Player(), observation)
		left := int(math.Round(float64(observation[at+10] * 20)))
		return 0.8 * float64(left%2) * float64(1-2*s.Player())
	})
	noise := Residual(game, model, Options{Depth: 8, Samples: 1})
	require.Greater(t, noise.Value, 0.3)
	require.Less(t, noise.Difference, 0.7*noise.Value, "of errors that are not shared it would be 1.4")
}

// Sequential halving plays as many worlds as it was given, most of them after the last actions
// in the race, and Values gives the others as many.
func TestRaceSpendsItsBudget(t *testing.T) {
	game := newGame(t, "tysiac-hand", "")
	const samples = 64
	r := newRace(game, newFixed(32, hashed), Noise{0.1, 0.1}, Options{Depth: 2, Samples: samples})
	visits := 0
	play(t, game, 3, func(s engine.State, legal []int) {
		visits++
		choice := r.run(s, legal)
		spent, most := 0, 0
		for _, from := range r.worlds.starts {
			spent += len(from.values)
			most = max(most, len(from.values))
		}
		require.LessOrEqual(t, spent, samples*len(legal))
		require.Greater(t, spent, samples*len(legal)*8/10)
		require.Len(t, r.worlds.starts[choice].values, most)
		if len(legal) > 2 {
			require.Greater(t, most, samples)
		}
		require.Equal(t, choice, r.evaluate(s, legal))
		for _, from := range r.worlds.starts {
			require.Len(t, from.values, max(most, samples))
		}
	})
	require.Greater(t, visits, 20)
}

// The error of a difference is that of the differences world by world, and Differences agrees
// with Values.
func TestDifferencesArePaired(t *testing.T) {
	game := newGame(t, "tysiac-hand", "")
	p := New(game, newFixed(32, hashed), Noise{0.1, 0.1}, Options{Depth: 64, Samples: 32})
	actions := game.Spec().Actions
	values, differences := make([]policy.Value, actions), make([]policy.Value, actions)
	play(t, game, 3, func(s engine.State, legal []int) {
		p.Values(s, legal, values)
		p.Differences(s, legal, 1, differences)
		require.Zero(t, differences[1])
		a := p.race.worlds.starts[1].values
		for i := range legal {
			require.InDelta(t, values[1].Mean-values[i].Mean, differences[i].Mean, 1e-12)
			if i == 1 {
				continue
			}
			paired := make([]float64, len(a))
			for world, value := range p.race.worlds.starts[i].values {
				paired[world] = a[world] - value
			}
			_, sampling, _ := p.race.difference(1, i)
			require.InDelta(t, stat.Of(paired).Margin(), stat.Z95*math.Sqrt(sampling), 1e-6*max(1, p.spec.MaxReturn))
			require.GreaterOrEqual(t, differences[i].High-differences[i].Mean, stat.Of(paired).Margin()-1e-9)
		}
	})
}

// In a game that is won or lost, values and differences are shares of the win.
func TestDifferencesInWins(t *testing.T) {
	game, optimum, model := pigWithErrors(t, 0)
	p := New(game, model, Noise{}, Options{Depth: 1, Samples: 1})
	values, differences := make([]policy.Value, 2), make([]policy.Value, 2)
	play(t, game, 2, func(s engine.State, legal []int) {
		optimum.Values(s, legal, values)
		p.Differences(s, legal, pig.Roll, differences)
		require.InDelta(t, values[pig.Roll].Mean-values[pig.Hold].Mean, differences[pig.Hold].Mean, 1e-9)
	})
}

func TestPool(t *testing.T) {
	v := func(mean float64) policy.Value { return policy.Value{Mean: mean, Low: mean - 1, High: mean + 2} }
	values := []policy.Value{v(5), v(2), v(9), v(6), v(7)}
	pool(values, 1) // 9 and 7 and 2 have the mean 6; what is not above it stays
	up := math.Nextafter(6, 7)
	require.Equal(t, []policy.Value{v(5), {Mean: up, Low: up - 1, High: up + 2}, v(6), v(6), v(6)}, values)
	pool(values, 1)
	require.Equal(t, up, values[1].Mean, "the greatest value stays as it is")
}

// Value heads are not bounded, returns are.
func TestNetworkValuesAreCut(t *testing.T) {
	game := newGame(t, "pig", "")
	network := randomNetwork(t, game, nn.Description{Dense: []int{8}})
	for i := range network.Weights {
		network.Weights[i] *= 1e6
	}
	network, err := nn.NewNetwork(network.Layout, network.Weights)
	require.NoError(t, err)
	model, visits := NewNetwork(network), 0
	play(t, game, 1, func(s engine.State, legal []int) {
		model.Set(0, s, legal)
		model.Predict(1)
		require.Equal(t, 1.0, math.Abs(model.Value(0)))
		visits++
	})
	require.Positive(t, visits)
}

// What a network of action values thinks best is its prior, not only what it plays.
func TestActionValuesAreAPrior(t *testing.T) {
	game := newGame(t, "pig", "")
	model := NewNetwork(randomNetwork(t, game, nn.Description{Dense: []int{8}, Dueling: true}))
	prior := make([]float64, 2)
	play(t, game, 1, func(s engine.State, legal []int) {
		model.Set(0, s, legal)
		model.Predict(1)
		model.LogPrior(0, legal, 0.1, prior)
		best := max(prior[0], prior[1])
		require.False(t, math.IsInf(min(prior[0], prior[1]), 0))
		require.Equal(t, best, prior[model.Act(0, engine.NewRNG(1, 1))])
	})
}
