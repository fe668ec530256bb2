package solver

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/kuhn"
	"croupier/games/leduc"
)

func TestCFRPlusSolvesKuhn(t *testing.T) {
	c, err := NewCFR(newTree(t, kuhn.Game{}), Plus)
	require.NoError(t, err)
	s, reached, err := c.On().Approach(t.Context(), 1e-5, 100_000, nil)
	require.NoError(t, err)
	require.LessOrEqual(t, s.Exploitability(), 1e-5)
	require.Equal(t, Progress{c.iterations, s.Exploitability()}, reached)
	require.InDelta(t, -1.0/18, s.Values()[0], 2e-5)

	state, p := kuhn.Game{}.NewState(), s.Policy()
	bets := func(steps ...int) float64 {
		state.Reset()
		for _, step := range steps {
			require.NoError(t, state.Apply(step))
		}
		var d [2]float64
		p.Distribution(state, []int{kuhn.Pass, kuhn.Bet}, d[:])
		return d[kuhn.Bet]
	}
	alpha := bets(0, 1)
	t.Logf("alpha = %.4f, value = %.6f, exploitability = %.2e", alpha, s.Values()[0], s.Exploitability())
	const within = 1e-3
	require.LessOrEqual(t, alpha, 1.0/3+within)
	require.InDelta(t, 3*alpha, bets(2, 1), within, "the king bets three times as often as the jack")
	require.InDelta(t, 0, bets(1, 2), within, "the queen checks")
	require.InDelta(t, alpha+1.0/3, bets(1, 2, kuhn.Pass, kuhn.Bet), within, "and calls")
	require.InDelta(t, 1.0/3, bets(1, 0, kuhn.Pass), within, "the second jack bluffs")
	require.InDelta(t, 1.0/3, bets(0, 1, kuhn.Bet), within, "the second queen calls")
}

func TestCFRPlusSolvesLeduc(t *testing.T) {
	c, err := NewCFR(newTree(t, leduc.Game{}), Plus)
	require.NoError(t, err)
	exploitability := map[int]float64{}
	for _, iterations := range []int{1_000, 9_000} {
		c.Run(iterations)
		s := c.Average()
		exploitability[c.iterations] = s.Exploitability()
		t.Logf("%d iterations: value %.6f, exploitability %.2e", c.iterations, s.Values()[0], s.Exploitability())
	}
	require.Less(t, exploitability[1_000], 1e-3)
	require.Less(t, exploitability[10_000], 2e-5)
	require.InDelta(t, -0.0856, c.Average().Values()[0], 5e-5)
}

// Uniform play is exploitable by 0.458 in Kuhn poker and by 2.37 in Leduc hold'em.
func TestVariantsConverge(t *testing.T) {
	for _, test := range []struct {
		variant     Variant
		kuhn, leduc float64 // exploitability after 1,000 iterations
	}{{Plain, 5e-3, 5e-2}, {Linear, 1e-3, 1e-2}, {Plus, 1e-4, 1e-3}} {
		for i, bound := range []float64{test.kuhn, test.leduc} {
			c, err := NewCFR(newTree(t, smallGames[i].game), test.variant)
			require.NoError(t, err)
			c.Run(1000)
			s := c.Average()
			t.Logf("%s, %s: value %.6f, exploitability %.2e", test.variant.Name(), smallGames[i].name, s.Values()[0],
				s.Exploitability())
			require.Less(t, s.Exploitability(), bound)
		}
	}
}

func TestCFREqualsAPlainOne(t *testing.T) {
	for _, game := range smallGames {
		for _, v := range []Variant{Plain, Linear, Plus} {
			t.Run(game.name+" "+v.Name(), func(t *testing.T) {
				const iterations = 20
				c, err := NewCFR(newTree(t, game.game), v)
				require.NoError(t, err)
				c.Run(iterations)
				plain := plainCFR{}
				for i := range iterations {
					plain.iterate(game.game, v, float64(i+1))
				}
				for seat := range 2 {
					side := &c.tree.sides[seat]
					average := c.Average().probability[seat]
					for key, set := range side.sets {
						first, end := side.span(int(set))
						want := make([]float64, end-first)
						proportional(plain[key].average, want)
						require.InDeltaSlice(t, want, average[first:end], 1e-9)
					}
				}
			})
		}
	}
}

// plainCFR is CFR as a recursion over the states of the game, by information key.
type plainCFR map[string]*plainSet

type plainSet struct{ regret, change, average []float64 }

func (c plainCFR) at(s engine.State) (set *plainSet, strategy []float64) {
	key, n := string(s.InformationKey(s.Player(), nil)), len(s.LegalActions(nil))
	set, ok := c[key]
	if !ok {
		set = &plainSet{make([]float64, n), make([]float64, n), make([]float64, n)}
		c[key] = set
	}
	strategy = make([]float64, n)
	for i, r := range set.regret {
		strategy[i] = max(0, r)
	}
	proportional(strategy, strategy)
	return set, strategy
}

// iterate does iteration t, counted from 1.
func (c plainCFR) iterate(g engine.Game, v Variant, t float64) {
	regretWeight, averageWeight := 1.0, 1.0
	if v.regrets {
		regretWeight = t
	}
	if v.average {
		averageWeight = t
	}
	for seat := range 2 {
		c.update(g.NewState(), seat, 1)
		for _, set := range c {
			for i := range set.regret {
				set.regret[i] = max(v.floor, set.regret[i]+regretWeight*set.change[i])
				set.change[i] = 0
			}
		}
		c.remember(g.NewState(), seat, averageWeight, map[string]bool{})
	}
}

// update returns the value of the state to the seat and notes the changes of its regrets; reach
// is the probability that chance and the other seat get here.
func (c plainCFR) update(s engine.State, seat int, reach float64) float64 {
	switch player := s.Player(); player {
	case engine.Terminal:
		var returns [2]float64
		s.Returns(returns[:])
		return returns[seat]
	case engine.Chance:
		value := 0.0
		for _, o := range s.Outcomes(nil) {
			value += o.Probability * c.update(after(s, o.Index), seat, reach*o.Probability)
		}
		return value
	default:
		set, strategy := c.at(s)
		value, values := 0.0, make([]float64, len(strategy))
		for i, action := range s.LegalActions(nil) {
			next := reach
			if player != seat {
				next *= strategy[i]
			}
			values[i] = c.update(after(s, action), seat, next)
			value += strategy[i] * values[i]
		}
		for i := range values {
			if player == seat {
				set.change[i] += reach * (values[i] - value)
			}
		}
		return value
	}
}

// remember adds the seat's strategy to its average once for every information set,
// with its own reach and the weight.
func (c plainCFR) remember(s engine.State, seat int, weight float64, seen map[string]bool) {
	var steps []int
	strategy := []float64(nil)
	switch player := s.Player(); player {
	case engine.Terminal:
	case engine.Chance:
		for _, o := range s.Outcomes(nil) {
			steps = append(steps, o.Index)
		}
	default:
		steps = s.LegalActions(nil)
		if player != seat {
			break
		}
		var set *plainSet
		set, strategy = c.at(s)
		if key := string(s.InformationKey(seat, nil)); !seen[key] {
			seen[key] = true
			for i, p := range strategy {
				set.average[i] += weight * p
			}
		}
	}
	for i, step := range steps {
		next := weight
		if strategy != nil {
			next *= strategy[i]
		}
		c.remember(after(s, step), seat, next, seen)
	}
}

func after(s engine.State, step int) engine.State {
	child := s.Clone()
	if err := child.Apply(step); err != nil {
		panic(err)
	}
	return child
}

func TestCFRPlusRunsWithoutAllocating(t *testing.T) {
	c, err := NewCFR(newTree(t, leduc.Game{}), Plus)
	require.NoError(t, err)
	require.Zero(t, testing.AllocsPerRun(10, func() { c.Run(1) }))
}

func TestCFRPlusIsForTwoSeatsAndZeroSum(t *testing.T) {
	_, err := NewCFR(newTree(t, &variant{seats: 3}), Plus)
	require.ErrorContains(t, err, "CFR is for two seats, kuhn has 3")
	_, err = NewCFR(newTree(t, &variant{rake: 0.1}), Plus)
	require.ErrorContains(t, err, "not one")
}

func TestApproachStops(t *testing.T) {
	c, err := NewCFR(newTree(t, leduc.Game{}), Plus)
	require.NoError(t, err)
	var looks []int
	look := func(p Progress) { looks = append(looks, p.Iterations) }
	_, p, err := c.On().Approach(t.Context(), 0, 250, look)
	require.NoError(t, err)
	require.Equal(t, []int{100, 200, 250}, looks)
	require.Equal(t, 250, p.Iterations)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, p, err = c.On().Approach(ctx, 0, 1000, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 100, p.Iterations)
}

func BenchmarkCFRPlus(b *testing.B) {
	for _, game := range smallGames {
		b.Run(game.name, func(b *testing.B) {
			c, err := NewCFR(newTree(b, game.game), Plus)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				c.Run(1)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "iterations/s")
		})
	}
}

func TestConverged(t *testing.T) {
	for _, c := range []struct{ first, now, target, want float64 }{
		{1, 1, 1e-4, 0}, {1, 2, 1e-4, 0}, {1, 1e-2, 1e-4, 0.5}, {1, 1e-4, 1e-4, 1}, {1, 1e-3, 0, 0}, {1, 0, 0, 1},
	} {
		require.InDelta(t, c.want, Converged(c.first, c.now, c.target), 1e-12)
	}
}
