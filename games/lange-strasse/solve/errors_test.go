package solve

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	langestrasse "croupier/games/lange-strasse"
	"croupier/internal/stat"
	"croupier/policy"
)

func shipped(t require.TestingT) *moneyPlayer {
	factory, err := NewMoney(newGame(t))
	require.NoError(t, err)
	return factory().(*moneyPlayer)
}

// The ends of a turn have probabilities, among them that of a strich, and make up its value with
// what Lange Strassen win.
func TestSpreadIsTheDistributionOfTheEnds(t *testing.T) {
	p := shipped(t)
	rapid.Check(t, func(t *rapid.T) {
		s, _ := decision(t)
		p.eachMove(s, func(_ int, m langestrasse.Move, c cell) {
			e := p.solver.expectimax
			spread := e.spread(p.row(s), m)
			total, own := spread.strich, spread.strich*e.lost.own
			for i, probability := range spread.ends {
				total += probability
				own += probability * e.ends[i].own
			}
			require.InDelta(t, 1, total, 1e-4)
			require.InDelta(t, c.strich, spread.strich, 1e-4)
			require.Less(t, own, c.own+1e-3)
			if m.Stops() {
				require.InDelta(t, c.own, own, 1e-4)
			}
			require.Less(t, c.own-own, float32(2.5), "a Super Strasse wins 2 units")
		})
	})
}

// The variance is the double sum over the covariances of all ends.
func TestDifferenceErrorIsTheDoubleSum(t *testing.T) {
	p := shipped(t)
	rapid.Check(t, func(t *rapid.T) {
		s, _ := decision(t)
		var spreads []*spread
		p.eachMove(s, func(_ int, m langestrasse.Move, _ cell) {
			spreads = append(spreads, p.solver.expectimax.spread(p.row(s), m))
		})
		a, b, solver, variance := spreads[0], spreads[len(spreads)-1], p.solver, 0.0
		local := solver.evaluator.values.errors.local
		solver.eachEnd(func(i, x int, xStage int8) {
			solver.eachEnd(func(j, y int, yStage int8) {
				shared := math.Exp(-math.Abs(float64(x-y)) / errorLength)
				variance += float64((a.of(i)-b.of(i))*(a.of(j)-b.of(j))*local[xStage]*local[yStage]) * shared
			})
		})
		require.InDelta(t, math.Sqrt(max(variance, 0)), solver.differenceError(a, b), 1e-4)
	})
}

func TestDifferencesBelongToTheValues(t *testing.T) {
	turn, err := NewTurnOptimum(newGame(t))
	require.NoError(t, err)
	for _, p := range []policy.Differencer{shipped(t), turn().(policy.Differencer)} {
		rapid.Check(t, func(t *rapid.T) {
			s, legal := decision(t)
			values, differences := make([]policy.Value, len(legal)), make([]policy.Value, len(legal))
			p.Values(s, legal, values)
			base := rapid.IntRange(0, len(legal)-1).Draw(t, "base")
			p.Differences(s, legal, base, differences)
			require.Equal(t, policy.Value{}, differences[base])
			for i, d := range differences {
				require.InDelta(t, values[base].Mean-values[i].Mean, d.Mean, 1e-5)
				require.InDelta(t, d.Mean, (d.Low+d.High)/2, 1e-9)
				require.False(t, p.Scale().Exact && d.Low < d.High)
				unrelated := values[base].High - values[base].Low + values[i].High - values[i].Low
				require.LessOrEqual(t, d.High-d.Low, unrelated+1e-9, "what is shared cancels")
			}
		})
	}
}

func TestSquareOfMeanIsTheMeanProduct(t *testing.T) {
	require.InDelta(t, 9, squareOfMean([errorGames]float64{3, 3, 3, 3}), 1e-12)
	require.InDelta(t, (1*2+1*4+1*0+2*4)/6., squareOfMean([errorGames]float64{1, 2, 4, 0}), 1e-12)
}

func TestErrorsOfSums(t *testing.T) {
	var a, b errorSums
	a.whole[1], b.whole[1] = engine.Sum{Value: 1, Weight: 10}, engine.Sum{Value: 3, Weight: 90}
	a.whole[3] = engine.Sum{Value: 290, Weight: 29}
	a.local[2], b.local[0] = engine.Sum{Value: 8, Weight: 2}, engine.Sum{Value: -1, Weight: 2}
	a.whole[2] = engine.Sum{Value: 270, Weight: 30}
	a.whole[0], a.local[1] = engine.Sum{Value: 40, Weight: 40}, engine.Sum{Value: 1, Weight: 1}
	a.add(&b)
	require.Equal(t, valueErrors{
		whole: [stages]float32{1, 0.2, 3, 3, 3, 3, 3}, local: [stages]float32{0, 0.2, 2, 2, 2, 2, 2},
	}, a.errors(), "stages that hardly came up have the largest errors")
}

// Intervals of the right width cover, and their squares are found; intervals half as wide do not.
func TestCoverageTellsWrongIntervals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for factor, within := range map[float64][2]float64{1: {0.92, 0.98}, 0.5: {0.72, 0.88}} {
		var tally coverTally
		for range 2000 {
			deviation := 0.01 + 0.04*rng.Float64()
			off := deviation * rng.NormFloat64()
			var found, value stat.Moments
			for range coverageGames {
				found.Add(off + 0.05*rng.NormFloat64())
				value.Add(2*off + 0.05*rng.NormFloat64())
			}
			tally.add(&pair{promised: 0.05, deviation: factor * deviation, whole: 2 * factor * deviation}, found, value)
		}
		c := tally.coverage()
		require.Equal(t, 2000, c.Positions)
		require.Greater(t, c.Covered.Value, within[0])
		require.Less(t, c.Covered.Value, within[1])
		require.Greater(t, c.Values.Value, within[0]-0.08, "with less noise of the check")
		require.Less(t, c.Values.Value, within[1])
		require.Less(t, c.Ratio.Low, 1/(factor*factor))
		require.Greater(t, c.Ratio.High, 1/(factor*factor))
		require.InDelta(t, 0.05/math.Sqrt(coverageGames), c.Noise, 0.001)
		require.InDelta(t, factor*math.Sqrt(0.001+0.0001/3), c.Promised, 0.002*factor)
	}
}

func TestCover(t *testing.T) {
	factory, err := NewMoney(newGame(t))
	require.NoError(t, err)
	c, err := Cover(t.Context(), newGame(t), factory, 1, 1, quietly)
	require.NoError(t, err)
	require.Equal(t, 1, c.Positions)
	require.Positive(t, c.Promised)
	var out strings.Builder
	require.NoError(t, c.Render(&out))
	require.Contains(t, out.String(), "1 decisions, 16 games after each of two actions")
	bots, err := NewTurnOptimum(newGame(t))
	require.NoError(t, err)
	_, err = Cover(t.Context(), newGame(t), bots, 1, 1, quietly)
	require.ErrorContains(t, err, "no money player")
}

// The position with which the source explains what a player knows: stopping with 2,100 points is
// better than rolling two dice, and playing on agrees.
func TestTheExampleOfTheSourceIsDecided(t *testing.T) {
	game := newGame(t).(*langestrasse.Game)
	s, _, err := game.ParsePosition(game.ExamplePosition(), nil)
	require.NoError(t, err)
	p, err := newSelfPlay(game, shipped(t).solver.evaluator.values)
	require.NoError(t, err)
	legal := s.LegalActions(nil)
	require.Len(t, legal, 2)
	roll, stop := legal[0], legal[1]
	require.Equal(t, "keep 1, stop", s.ActionName(stop))
	differences := make([]policy.Value, 2)
	p.player.Differences(s, legal, 1, differences)
	require.Positive(t, differences[0].Low)
	found, _, err := p.difference(&pair{state: *s.(*langestrasse.State), actions: [2]int{stop, roll}, seed: 1}, 40)
	require.NoError(t, err)
	won := found.Interval()
	require.Positive(t, differences[0].Mean+won.Low)
	require.Less(t, won.Low, differences[0].High-differences[0].Mean)
	require.Greater(t, won.High, differences[0].Low-differences[0].Mean)
}
