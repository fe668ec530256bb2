package rating

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/internal/nightly"
	"croupier/internal/stat"
	"croupier/league/rating/ratingtest"
	"croupier/messages"
)

var strengths = map[string]float64{"random": -0.9, "bot": 0.2, "main@1": -0.3, "main@2": 0.6, "main@3": 1.1}

var rated = []string{"random", "bot", "main@1", "main@2", "main@3"}

// zero is the agent whose rating is 0.
const zero = "bot"

func rateAll(t *testing.T, b *Results, best string) *Standing {
	t.Helper()
	standing, err := b.Rate(Listing{Agents: rated, Kind: ratingtest.Kind, Zero: zero, Best: best})
	require.NoError(t, err)
	return standing
}

// truth is how much higher the rating of a is than that of b.
func truth(s *ratingtest.Simulation, a, b string) float64 {
	unit := EloPerNat
	if s.Spec.Payoff == engine.Money {
		unit = 1
	}
	return unit * (s.Theta[a] - s.Theta[b])
}

// playAll plays the given sets of every pair and returns the results.
func playAll(s *ratingtest.Simulation, agents []string, sets uint64) *Results {
	b := NewResults(s.Spec, "run", ratingtest.Rules, Sequential{})
	for i, x := range agents {
		for _, y := range agents[:i] {
			if err := b.Apply(s.Play(b.Match(NewKey(x, y), Span{0, sets}, 0))); err != nil {
				panic(err)
			}
		}
	}
	return b
}

func TestRatingsRecoverStrengths(t *testing.T) {
	for _, seats := range []int{2, 3, 6} {
		for spec, tolerance := range map[*engine.Spec]float64{ratingtest.Spec(seats): 20, ratingtest.MoneySpec(seats): 0.07} {
			s := &ratingtest.Simulation{Spec: spec, Theta: strengths, RNG: engine.NewRNG(1, uint64(seats))}
			standing := rateAll(t, playAll(s, rated, 4000), "")
			for _, name := range rated {
				r, ok := standing.Rating(name)
				require.True(t, ok)
				require.InDelta(t, truth(s, name, zero), r.Value, tolerance, "%s with %d seats", name, seats)
			}
			anchor, _ := standing.Rating(zero)
			require.Equal(t, stat.Interval{}, anchor)
			require.Equal(t, []string{"main@3", "main@2", "bot", "main@1", "random"}, names(standing.Ladder))
		}
	}
}

func names(l *messages.Ladder) []string {
	var out []string
	for _, a := range l.Agents {
		out = append(out, a.Name)
	}
	return out
}

// coverage counts the intervals that have the truth in them.
type coverage struct{ covered, n int }

func (c *coverage) add(truth float64, i stat.Interval) {
	c.n++
	if i.Low <= truth && truth <= i.High {
		c.covered++
	}
}

func (c *coverage) share() float64 { return float64(c.covered) / float64(c.n) }

// found are the intervals of leagues, by kind.
type found struct{ ratings, differences, cells, places coverage }

// add looks at the intervals of a league.
func (f *found) add(s *ratingtest.Simulation, b *Results, standing *Standing) {
	before := map[string]string{"main@2": "main@1", "main@3": "main@2"}
	for place, name := range []string{"main@3", "main@2", "bot", "main@1", "random"} {
		a := standing.Ladder.Agents[slices.Index(names(standing.Ladder), name)]
		f.places.add(float64(place+1), stat.Interval{Low: float64(a.Places.First), High: float64(a.Places.Last)})
		if name != zero {
			f.ratings.add(truth(s, name, zero), stat.Interval{Low: a.Low, High: a.High})
			f.cells.add(s.Cell(name, zero), b.Focal(name, zero).Outcome())
		}
		for other, d := range map[string]*messages.Interval{"main@2": a.ToBest, before[name]: a.ToPrevious} {
			if d != nil {
				f.differences.add(truth(s, name, other), stat.Interval(*d))
			}
		}
	}
}

// cover requires that 95 % of the intervals have the truth in them, but for a tolerance.
func (f *found) cover(t *testing.T, tolerance float64, what string) {
	t.Logf("%-24s ratings %.3f, differences %.3f, cells %.3f, places %.3f", what,
		f.ratings.share(), f.differences.share(), f.cells.share(), f.places.share())
	require.InDelta(t, 0.95, f.ratings.share(), tolerance, "ratings, %s", what)
	require.InDelta(t, 0.95, f.differences.share(), tolerance, "differences, %s", what)
	require.InDelta(t, 0.95, f.cells.share(), tolerance, "cells, %s", what)
	require.GreaterOrEqual(t, f.places.share(), 0.95, "places, %s", what)
}

// The share of 95 % intervals that contain the truth: of ratings, of differences to the
// best and to the version before, and of the payoff matrix, in games that are won or lost
// and in games for money, with games of a set that have everything from nothing to all of
// their luck in common. 1,000 leagues tell 1.5 % from nothing (two standard errors where
// all intervals of a league come out alike). For each change there are 1,000 of all kinds
// together, of which each is allowed two standard errors of its own: 4.8 %; intervals that
// took games with common luck for independent would miss a sixth and more. Places hold at
// least as often as they say.
func TestIntervalsCoverTheTruth(t *testing.T) {
	const enough = 1000
	leagues := nightly.Cases(enough/12+1, enough)
	tolerance := 0.015 * math.Sqrt(enough/float64(leagues))
	var all found
	for _, seats := range []int{2, 3} {
		for _, luck := range []float64{0, 0.5, 1} {
			for _, spec := range []*engine.Spec{ratingtest.Spec(seats), ratingtest.MoneySpec(seats)} {
				s := &ratingtest.Simulation{Spec: spec, Theta: strengths, Luck: luck, RNG: engine.NewRNG(7, uint64(seats))}
				var kind found
				for range leagues {
					b := playAll(s, rated, 80)
					standing := rateAll(t, b, "main@2")
					kind.add(s, b, standing)
					all.add(s, b, standing)
				}
				kind.cover(t, tolerance, fmt.Sprintf("%s, %d seats, luck %v", spec.Unit, seats, luck))
			}
		}
	}
	all.cover(t, 0.015, "all")
}

// Agents of nearly the same strength have all places open, except where chance says
// otherwise: in at most 5 of 100 leagues for each agent.
func TestPlacesHold(t *testing.T) {
	theta := map[string]float64{"random": -0.002, "bot": 0, "main@1": -0.001, "main@2": 0.001, "main@3": 0.002}
	s := &ratingtest.Simulation{Spec: ratingtest.Spec(2), Theta: theta, RNG: engine.NewRNG(11, 0)}
	var places coverage
	for range 1000 {
		r := rateAll(t, playAll(s, rated, 80), "").ratings
		for i, place := range []int{3, 4, 2, 1, 5} { // bot, main@1, main@2, main@3, random
			first, last := r.places(i, []int{0, 1, 2, 3, 4})
			places.add(float64(place), stat.Interval{Low: float64(first), High: float64(last)})
		}
	}
	require.InDelta(t, 0.985, places.share(), 0.0125)
}

func TestRatingsDoNotDependOnTheZero(t *testing.T) {
	s := &ratingtest.Simulation{Spec: ratingtest.Spec(3), Theta: strengths, RNG: engine.NewRNG(3, 0)}
	r := rateAll(t, playAll(s, rated, 50), "").ratings
	for i := range rated {
		require.InDelta(t, r.aboveMean(4).Value-r.aboveMean(2).Value, r.above(4, i).Value-r.above(2, i).Value, 1e-9)
	}
	require.InDelta(t, r.above(4, 2).Low, -r.above(2, 4).High, 1e-9)
	sum := 0.0
	for i := range rated {
		sum += r.aboveMean(i).Value
	}
	require.InDelta(t, 0, sum, 1e-6)
}

// It is not known how weak an agent is that never wins. Neither ratings nor differences of
// those who do win have anything of that.
func TestAnAgentThatNeverWinsAddsNoError(t *testing.T) {
	theta := map[string]float64{"random": -12, "bot": 0.2, "main@1": 0.3, "main@2": 0.6, "main@3": 1.1}
	s := &ratingtest.Simulation{Spec: ratingtest.Spec(3), Theta: theta, RNG: engine.NewRNG(3, 0)}
	standing := rateAll(t, playAll(s, rated, 100), "main@3")
	half := func(i stat.Interval) float64 { return (i.High - i.Low) / 2 }
	for _, name := range []string{"main@1", "main@2", "main@3"} {
		i := standing.index[name]
		require.Greater(t, half(standing.ratings.above(i, standing.index["random"])), 200.0, name)
		require.Less(t, half(standing.of(i)), 50.0, name)
	}
	for _, a := range standing.Ladder.Agents {
		switch a.Name {
		case "main@3":
			require.Nil(t, a.ToBest)
			require.Less(t, half(stat.Interval(*a.ToPrevious)), 50.0)
			require.Equal(t, messages.Places{First: 1, Last: 1}, a.Places)
		case "random":
			require.Nil(t, a.ToPrevious)
			require.Equal(t, messages.Places{First: 5, Last: 5}, a.Places)
		}
	}
}

// The places of two agents are distinct exactly where 0 is not in the interval of their difference.
func TestPlacesAgreeWithTheInterval(t *testing.T) {
	s := &ratingtest.Simulation{Spec: ratingtest.Spec(2), Theta: map[string]float64{"main@1": 0.3},
		RNG: engine.NewRNG(1, 0)}
	told := 0
	for range 200 {
		b := playAll(s, []string{"main@1", "bot"}, 100)
		standing, err := b.Rate(Listing{Agents: []string{"bot", "main@1"}, Kind: ratingtest.Kind, Zero: zero})
		require.NoError(t, err)
		for _, a := range standing.Ladder.Agents {
			if a.Name != zero {
				certain := a.Low > 0 || a.High < 0
				require.Equal(t, certain, a.Places.First == a.Places.Last)
				if certain {
					told++
				}
			}
		}
	}
	require.InDelta(t, 100, told, 60, "both cases come up")
}

func TestPrevious(t *testing.T) {
	s := &Standing{names: []string{"random", "main@2", "main@5", "main@9", "exploiter@4", "greedy:main@3",
		"greedy:main@9"}}
	previous := func(member string) string {
		if i, ok := s.previous(member, []int{0, 1, 2, 3, 4, 5, 6}); ok {
			return s.names[i]
		}
		return ""
	}
	require.Equal(t, "greedy:main@3", previous("greedy:main@9"), "played in the same way")
	require.Equal(t, "main@2", previous("main@5"))
	require.Equal(t, "main@5", previous("main@9"))
	require.Empty(t, previous("main@2"))
	require.Empty(t, previous("random"))
}

// An agent that has not played has no place and is compared with none; of those only the best is
// on the ladder.
func TestAgentsThatHaveNotPlayed(t *testing.T) {
	s := &ratingtest.Simulation{Spec: ratingtest.Spec(2), Theta: strengths, RNG: engine.NewRNG(1, 0)}
	b := playAll(s, []string{"random", "bot"}, 100)
	l := rateAll(t, b, "main@3").Ladder
	require.ElementsMatch(t, []string{"bot", "random", "main@3"}, names(l))
	for _, a := range l.Agents {
		require.Nil(t, a.ToBest)
		if a.Name == "main@3" {
			require.Zero(t, a.Places)
		} else {
			require.LessOrEqual(t, a.Places.Last, 2)
		}
	}
}

// The same games in another unit give the same ladder in that unit.
func TestMoneyDoesNotDependOnTheUnit(t *testing.T) {
	ladder := func(unit float64) *Standing {
		spec := *ratingtest.MoneySpec(3)
		spec.MaxReturn *= unit
		theta := map[string]float64{}
		for name, x := range strengths {
			theta[name] = unit * x
		}
		s := &ratingtest.Simulation{Spec: &spec, Theta: theta, Spread: unit, Luck: 0.5, RNG: engine.NewRNG(3, 0)}
		return rateAll(t, playAll(s, rated, 50), "")
	}
	one, hundred := ladder(1), ladder(100)
	for _, name := range rated {
		a, _ := one.Rating(name)
		b, _ := hundred.Rating(name)
		require.InDelta(t, 100*a.Value, b.Value, 1e-4)
		require.InDelta(t, 100*a.High, b.High, 1e-4)
	}
}

// With two agents the likelihood has its maximum where the model's share is the
// measured one; the prior must not be seen.
func TestTwoAgentsHaveTheirShare(t *testing.T) {
	for _, c := range []struct {
		seats int
		share float64
		odds  float64 // of γ
	}{{2, 0.75, 3}, {2, 0.5, 1}, {3, 0.5, 2}, {4, 0.25, 1}} {
		games := 1e6
		r, err := rate(2, newFamily(ratingtest.Spec(c.seats), nil),
			[]comparison{{a: 0, b: 1, sets: games, games: games, resultA: c.share, squares: games / 5}})
		require.NoError(t, err)
		require.InDelta(t, EloPerNat*math.Log(c.odds), r.above(0, 1).Value, 0.01)
	}
}

func TestSeparatedAgentsStayFinite(t *testing.T) {
	// 100 sets of three games in both lineups, and not one lost. By the rule of three
	// a strength of 959 Elo loses at least one of 600 independent games in 95 % of
	// cases, one of 769 Elo at least one of 200 sets.
	data := []comparison{{a: 0, b: 1, sets: 100, games: 300, resultA: 1, both: true, resultB: 0}}
	r, err := rate(2, newFamily(ratingtest.Spec(3), data), data)
	require.NoError(t, err)
	i := r.above(0, 1)
	require.Greater(t, i.Low, 600.0)
	require.Less(t, i.Low, 1000.0)
	require.Greater(t, i.High-i.Value, 300.0, "nothing says how much stronger it is")
	require.Less(t, i.High, 4000.0)
}

func TestDisconnectedAgents(t *testing.T) {
	data := []comparison{
		{a: 0, b: 1, sets: 100, games: 200, resultA: 0.7, squares: 10},
		{a: 2, b: 3, sets: 100, games: 200, resultA: 0.6, squares: 10},
	}
	r, err := rate(5, newFamily(ratingtest.Spec(2), data), data)
	require.NoError(t, err)
	within, across, alone := r.above(0, 1), r.above(0, 2), r.above(4, 0)
	require.Less(t, within.High-within.Low, 150.0)
	require.Greater(t, across.High-across.Low, 2000.0, "groups that never met cannot be compared")
	require.Greater(t, alone.High-alone.Low, 2000.0)
}

// Finite differences of the objective agree with the analytic derivatives.
func TestDerivatives(t *testing.T) {
	data := []comparison{
		{a: 0, b: 1, sets: 10, games: 30, resultA: 0.4, both: true, resultB: 0.3, squares: 3},
		{a: 1, b: 2, sets: 10, games: 30, resultA: 0.9, both: true, resultB: 0.1, squares: 2},
	}
	theta := []float64{0.3, -0.2, 0.7}
	for _, spec := range []*engine.Spec{ratingtest.Spec(3), ratingtest.MoneySpec(3)} {
		m := &model{family: newFamily(spec, data), n: 3, precision: 0.03, data: data}
		m.measure()
		m.allow([]float64{0.1, 0.2, 0.3})
		gradient, hessian := m.derivatives(theta)
		const h = 1e-5
		at := func(i int, by float64) []float64 {
			moved := append([]float64{}, theta...)
			moved[i] += by
			return moved
		}
		for i := range theta {
			require.InDelta(t, (m.value(at(i, h))-m.value(at(i, -h)))/(2*h), gradient.AtVec(i), 1e-6)
			up, _ := m.derivatives(at(i, h))
			down, _ := m.derivatives(at(i, -h))
			for j := range theta {
				require.InDelta(t, -(up.AtVec(j)-down.AtVec(j))/(2*h), hessian.At(i, j), 1e-6)
			}
		}
	}
}

// Strengths for money are least squares by hand: alone among others, a got 0.4 and 0.1 was
// lost by b; b got 0.5 among c, and c lost 0.3 among b.
func TestMoneyIsLeastSquares(t *testing.T) {
	data := []comparison{
		{a: 0, b: 1, sets: 5000, games: 15000, resultA: 0.4, both: true, resultB: -0.2, squares: 5000},
		{a: 1, b: 2, sets: 5000, games: 15000, resultA: 0.5, both: true, resultB: -0.3, squares: 5000},
	}
	r, err := rate(3, newFamily(ratingtest.MoneySpec(3), data), data)
	require.NoError(t, err)
	require.InDelta(t, 0.3, r.above(0, 1).Value, 1e-5)
	require.InDelta(t, 0.4, r.above(1, 2).Value, 1e-5)
	require.InDelta(t, 0.7, r.above(0, 2).Value, 1e-5)
	// A set's value (a's result - b's) is twice the difference, with a variance of 1.
	require.InDelta(t, stat.Z95*math.Sqrt(1.0/5000)/2, r.above(0, 1).High-r.above(0, 1).Value, 1e-5)
}
