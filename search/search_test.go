package search

import (
	"hash/fnv"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/pig"
	pigsolve "croupier/games/pig/solve"
	"croupier/games/standard"
	"croupier/nn"
	"croupier/policy"
)

// fixed is a model that knows a value for each position. It plays any action, or what its prior
// prefers if it has one. It must not be asked where there is no choice.
type fixed struct {
	batch  int
	value  func(s engine.State, legal []int) float64
	prior  func(s engine.State, legal []int, dst []float64) // nil: all actions are equally likely
	values []float64
	legal  [][]int
	priors [][]float64
}

func newFixed(batch int, value func(s engine.State, legal []int) float64) *fixed {
	return &fixed{
		batch: batch, value: value, values: make([]float64, batch),
		legal: make([][]int, batch), priors: make([][]float64, batch),
	}
}

func (f *fixed) Batch() int { return f.batch }

func (f *fixed) Set(row int, s engine.State, legal []int) {
	f.values[row] = f.value(s, legal)
	f.legal[row] = append(f.legal[row][:0], legal...)
	if len(legal) < 2 {
		panic("the model was asked where there is no choice")
	}
	f.priors[row] = make([]float64, len(legal))
	if f.prior != nil {
		f.prior(s, legal, f.priors[row])
	}
}

func (f *fixed) Predict(int)           {}
func (f *fixed) Value(row int) float64 { return f.values[row] }
func (f *fixed) LogPrior(row int, _ []int, _ float64, dst []float64) {
	copy(dst, f.priors[row])
}
func (f *fixed) Act(row int, rng *engine.RNG) int {
	if f.prior != nil {
		return f.legal[row][slices.Index(f.priors[row], slices.Max(f.priors[row]))]
	}
	return f.legal[row][rng.IntN(len(f.legal[row]))]
}

// hashed is an arbitrary value in -1..1 that depends on what the seat to move knows.
func hashed(s engine.State, _ []int) float64 {
	h := fnv.New64a()
	h.Write(s.InformationKey(s.Player(), nil))
	return float64(h.Sum64()>>11)*0x1p-52 - 1
}

func newGame(t *testing.T, name, rules string) engine.Game {
	game, err := standard.Games.New(name, []byte(rules))
	require.NoError(t, err)
	return game
}

// play plays random games and visits every decision with a choice.
func play(t *testing.T, game engine.Game, games uint64, visit func(s engine.State, legal []int)) {
	s, rng := game.NewState(), &engine.RNG{}
	random := engine.Play{State: s, Chance: rng, Choose: func(_ int, legal []int) int {
		if len(legal) > 1 {
			visit(s, legal)
		}
		return legal[rng.IntN(len(legal))]
	}}
	for seed := range games {
		rng.Seed(seed, 0)
		s.Reset()
		require.NoError(t, random.ToEnd())
	}
}

// Given exact values, a search finds the exact values at any depth.
func TestPigWithExactValuesIsTheOptimum(t *testing.T) {
	game := newGame(t, "pig", "target: 40")
	factory, _, err := pigsolve.SolveTables(t.Context(), game)
	require.NoError(t, err)
	optimum := factory().(policy.Valuer)
	exact, got := make([]policy.Value, 2), make([]policy.Value, 2)
	model := newFixed(7, func(s engine.State, legal []int) float64 {
		optimum.Values(s, legal, exact)
		return 2*max(exact[pig.Roll].Mean, exact[pig.Hold].Mean) - 1
	})
	for depth := 1; depth <= 3; depth++ {
		p := New(game, model, Noise{}, Options{Depth: depth, Samples: 1})
		require.Equal(t, policy.Scale{Unit: "wins"}, p.Scale())
		play(t, game, 3, func(s engine.State, legal []int) {
			p.Values(s, legal, got)
			optimum.Values(s, legal, exact)
			for i := range legal {
				require.InDelta(t, exact[i].Mean, got[i].Mean, 1e-9)
				require.InDelta(t, got[i].Mean, got[i].Low, 1e-8)
			}
			if math.Abs(exact[0].Mean-exact[1].Mean) > 1e-9 {
				require.Equal(t, optimum.Choose(s, legal, nil), p.Choose(s, legal, nil))
			}
		})
	}
}

// plain is textbook expectimax of one turn, for two seats.
func plain(s engine.State, seat, depth int, value func(engine.State, []int) float64) float64 {
	sign := 1.
	if s.Player() != seat {
		sign = -1
	}
	after := func(step, depth int) float64 {
		child := s.Clone()
		if err := child.Apply(step); err != nil {
			panic(err)
		}
		return plain(child, seat, depth, value)
	}
	switch legal := s.LegalActions(nil); {
	case s.Player() == engine.Terminal:
		var returns [2]float64
		s.Returns(returns[:])
		return returns[seat]
	case s.Player() == engine.Chance:
		mean := 0.
		for _, o := range s.Outcomes(nil) {
			mean += o.Probability * after(o.Index, depth)
		}
		return mean
	case depth == 0 || s.Player() != seat:
		return sign * value(s, legal)
	default:
		best := math.Inf(-1)
		for _, action := range legal {
			best = max(best, after(action, depth-1))
		}
		return best
	}
}

func TestTreeEqualsPlainExpectimax(t *testing.T) {
	for _, test := range []struct {
		game, rules string
		depth       int
	}{{"pig", "target: 12", 1}, {"pig", "target: 12", 4}, {"bank", "{players: 2, rounds: 2}", 2}} {
		game := newGame(t, test.game, test.rules)
		p := New(game, newFixed(5, hashed), Noise{1, 1}, Options{Depth: test.depth, Samples: 1})
		child := game.NewState()
		play(t, game, 2, func(s engine.State, legal []int) {
			p.race.evaluate(s, legal)
			for i, action := range legal {
				child.CopyFrom(s)
				require.NoError(t, child.Apply(action))
				require.InDelta(t, plain(child, s.Player(), test.depth-1, hashed), p.race.value(i), 1e-12)
			}
		})
	}
}

// What others do between two own decisions is sampled: the interval of the mean over many
// worlds contains the exact value.
func TestThreeSeatsArePlayedOn(t *testing.T) {
	game := newGame(t, "bank", "{players: 3, rounds: 1}")
	s := game.NewState()
	for range 3 { // three safe rolls of 1-1, 1-2, 1-3
		require.NoError(t, s.Apply(0))
		for s.Player() >= 0 {
			require.NoError(t, s.Apply(0))
		}
	}
	require.NoError(t, s.Apply(0))
	require.Zero(t, s.Player())
	// The others pass or bank with even odds, and the one that banks last without a seven wins.
	value := func(engine.State, []int) float64 { return 0 }
	few := New(game, newFixed(16, value), Noise{}, Options{Depth: 1, Samples: 64})
	many := New(game, newFixed(16, value), Noise{}, Options{Depth: 1, Samples: 4096})
	legal, rough, fine := s.LegalActions(nil), make([]policy.Value, 2), make([]policy.Value, 2)
	few.Values(s, legal, rough)
	many.Values(s, legal, fine)
	bank := legal[1]
	require.Equal(t, 1, bank)
	for _, v := range [][]policy.Value{rough, fine} {
		require.Less(t, v[bank].Low, v[bank].Mean)
		require.Less(t, v[bank].Mean, v[bank].High)
	}
	require.InDelta(t, fine[bank].Mean, rough[bank].Mean, 2*(rough[bank].High-rough[bank].Mean))
	require.Less(t, fine[bank].High-fine[bank].Low, (rough[bank].High-rough[bank].Low)/4)
}

// randomNetwork is a small network with random weights.
func randomNetwork(t *testing.T, game engine.Game, d nn.Description) *nn.Network {
	layout, err := nn.NewLayout(d, game.Spec())
	require.NoError(t, err)
	weights, rng := make([]float32, layout.Size), engine.NewRNG(1, 0)
	for i := range weights {
		weights[i] = float32(rng.Float64() - .5)
	}
	network, err := nn.NewNetwork(layout, weights)
	require.NoError(t, err)
	return network
}

// small finds games of all kinds that can be searched.
var small = map[string]string{
	"pig": "target: 20", "bank": "{players: 3, rounds: 2}", "lange-strasse": "", "tysiac-hand": "",
	"tysiac": "game: {max_hands: 2}", "bank-cards": "",
}

// The answer depends on the position alone: not on the batch size, on what was asked
// before, or on the generator.
func TestSearchIsDeterministic(t *testing.T) {
	for name, rules := range small {
		game := newGame(t, name, rules)
		actions := game.Spec().Actions
		o := Options{Depth: 1, Samples: 3}
		network := randomNetwork(t, game, nn.Description{Dense: []int{8}})
		one, other := New(game, NewNetwork(network), Noise{0.1, 0.1}, o), New(game, NewNetwork(network), Noise{0.1, 0.1}, o)
		fresh := New(game, newFixed(1, hashed), Noise{0.1, 0.1}, o)
		batch := New(game, newFixed(64, hashed), Noise{0.1, 0.1}, o)
		a, b := make([]policy.Value, actions), make([]policy.Value, actions)
		visits := 0
		play(t, game, 1, func(s engine.State, legal []int) {
			if visits++; visits > 60 || visits%3 > 0 {
				return
			}
			chosen := one.Choose(s, legal, engine.NewRNG(1, 1))
			require.Equal(t, chosen, one.Choose(s, legal, engine.NewRNG(2, 2)))
			other.Values(s, legal, a)
			for i := range legal {
				require.LessOrEqual(t, a[i].Mean, a[slices.Index(legal, chosen)].Mean)
			}
			fresh.Values(s, legal, a)
			batch.Values(s, legal, b)
			require.Equal(t, a[:len(legal)], b[:len(legal)])
		})
		require.Positive(t, visits)
	}
}

// What a seat cannot know does not change what it finds.
func TestHiddenCardsDoNotMatter(t *testing.T) {
	game := newGame(t, "tysiac-hand", "")
	p := New(game, NewNetwork(randomNetwork(t, game, nn.Description{Dense: []int{8}})), Noise{0.1, 0.1},
		Options{Depth: 2, Samples: 4})
	redealt, rng := game.NewState(), engine.NewRNG(5, 5)
	a, b := make([]policy.Value, game.Spec().Actions), make([]policy.Value, game.Spec().Actions)
	play(t, game, 10, func(s engine.State, legal []int) {
		p.Values(s, legal, a)
		redealt.CopyFrom(s)
		redealt.(engine.Redealer).Redeal(s.Player(), rng)
		p.Values(redealt, legal, b)
		require.Equal(t, a[:len(legal)], b[:len(legal)])
	})
}

// settled is a game whose states cannot redraw what is hidden.
type settled struct{ engine.Game }

func (s settled) NewState() engine.State { return struct{ engine.State }{s.Game.NewState()} }

func TestCheck(t *testing.T) {
	for name := range small {
		game := newGame(t, name, "")
		require.NoError(t, Check(game))
		require.NoError(t, DefaultOptions(game.Spec()).Validate())
	}
	for _, name := range []string{"kuhn", "leduc", "banluck"} {
		err := Check(newGame(t, name, ""))
		require.EqualError(t, err, name+" cannot be searched: it hides cards, and what the others do reveals them")
	}
	require.EqualError(t, Options{Depth: 0, Samples: 1}.Validate(), "depth is 0, not in 1..64")
	require.EqualError(t, Options{Depth: 1, Samples: 5000}.Validate(), "samples is 5000, not in 1..4096")
	game := newGame(t, "pig", "")
	require.ErrorIs(t, CheckNetwork(randomNetwork(t, game, nn.Description{LSTM: []int{4}})), ErrRecurrent)
	require.NoError(t, CheckNetwork(randomNetwork(t, game, nn.Description{})))
	require.EqualError(t, Check(settled{newGame(t, "tysiac-hand", "")}),
		"tysiac-hand cannot be searched: it hides cards, and cannot draw those that a seat does not know")
}
