package league

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/internal/stat"
	"croupier/messages"
)

var strengths = map[string]float64{"random": -0.9, "bot": 0.2, "main@1": -0.3, "main@2": 0.6, "main@3": 1.1}

var rated = []string{"random", "bot", "main@1", "main@2", "main@3"}

// truth is an agent's strength relative to the anchor in Elo.
func truth(name string) float64 { return eloPerNat * (strengths[name] - strengths[Anchor]) }

func TestRatingsRecoverStrengths(t *testing.T) {
	for _, seats := range []int{2, 3, 6} {
		s := &simulation{spec: testSpec(seats), theta: strengths, rng: engine.NewRNG(1, uint64(seats))}
		standing, err := s.league(rated, 4000).rate(rated, testKind, "")
		require.NoError(t, err)
		for _, name := range rated {
			r, ok := standing.rating(name)
			require.True(t, ok)
			require.InDelta(t, truth(name), r.Value, 20, "%s with %d seats", name, seats)
		}
		anchor, _ := standing.rating(Anchor)
		require.Equal(t, stat.Interval{}, anchor)
		require.Equal(t, []string{"main@3", "main@2", "bot", "main@1", "random"}, names(standing.ladder))
	}
}

func names(l *messages.Ladder) []string {
	var out []string
	for _, a := range l.Agents {
		out = append(out, a.Name)
	}
	return out
}

// The share of 95 % intervals that contain the truth, with games of a set that have
// everything from nothing to all of their luck in common.
func TestIntervalsCoverTheTruth(t *testing.T) {
	const leagues = 300
	for _, seats := range []int{2, 3} {
		for _, luck := range []float64{0, 0.5, 1} {
			s := &simulation{spec: testSpec(seats), theta: strengths, luck: luck, rng: engine.NewRNG(7, uint64(seats))}
			covered, shares, n := 0, 0, 0
			for range leagues {
				b := s.league(rated, 80)
				standing, err := b.rate(rated, testKind, "")
				require.NoError(t, err)
				for _, name := range rated[1:] {
					r, _ := standing.rating(name)
					n++
					if r.Low <= truth(name) && truth(name) <= r.High {
						covered++
					}
					p := sigmoid(strengths[name] - strengths[Anchor] - math.Log(float64(seats-1)))
					if share := b.focal(name, Anchor).share(); share.Low <= p && p <= share.High {
						shares++
					}
				}
			}
			// 1,200 intervals that are not independent: ± 2.5 % is some three standard errors.
			require.InDelta(t, 0.95, float64(covered)/float64(n), 0.025, "ratings, %d seats, luck %v", seats, luck)
			require.InDelta(t, 0.955, float64(shares)/float64(n), 0.03, "shares, %d seats, luck %v", seats, luck)
		}
	}
}

func TestRatingsDoNotDependOnTheAnchor(t *testing.T) {
	s := &simulation{spec: testSpec(3), theta: strengths, rng: engine.NewRNG(3, 0)}
	standing, err := s.league(rated, 50).rate(rated, testKind, "")
	require.NoError(t, err)
	a, b := standing.index["main@3"], standing.index["main@1"]
	for _, name := range rated {
		i := standing.index[name]
		require.InDelta(t, standing.ratings.elo(a, -1).Value-standing.ratings.elo(b, -1).Value,
			standing.ratings.elo(a, i).Value-standing.ratings.elo(b, i).Value, 1e-9)
	}
	ab, ba := standing.ratings.elo(a, b), standing.ratings.elo(b, a)
	require.InDelta(t, ab.Low, -ba.High, 1e-9)
	sum := 0.0
	for _, name := range rated {
		sum += standing.ratings.elo(standing.index[name], -1).Value
	}
	require.InDelta(t, 0, sum, 1e-6)
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
		r, err := rate(2, c.seats, []comparison{{a: 0, b: 1, sets: games, games: games, shareA: c.share, squares: games / 5}})
		require.NoError(t, err)
		require.InDelta(t, eloPerNat*math.Log(c.odds), r.elo(0, 1).Value, 0.01)
	}
}

func TestSeparatedAgentsStayFinite(t *testing.T) {
	// 100 sets of three games in both lineups, and not one lost. By the rule of three
	// a strength of 959 Elo loses at least one of 600 independent games in 95 % of
	// cases, one of 769 Elo at least one of 200 sets.
	data := []comparison{{a: 0, b: 1, sets: 100, games: 300, shareA: 1, both: true, shareB: 0}}
	r, err := rate(2, 3, data)
	require.NoError(t, err)
	i := r.elo(0, 1)
	require.Greater(t, i.Low, 600.0)
	require.Less(t, i.Low, 1000.0)
	require.Greater(t, i.High-i.Value, 300.0, "nothing says how much stronger it is")
	require.Less(t, i.High, 4000.0)
}

func TestDisconnectedAgents(t *testing.T) {
	data := []comparison{
		{a: 0, b: 1, sets: 100, games: 200, shareA: 0.7, squares: 10},
		{a: 2, b: 3, sets: 100, games: 200, shareA: 0.6, squares: 10},
	}
	r, err := rate(5, 2, data)
	require.NoError(t, err)
	within, across, alone := r.elo(0, 1), r.elo(0, 2), r.elo(4, 0)
	require.Less(t, within.High-within.Low, 150.0)
	require.Greater(t, across.High-across.Low, 2000.0, "groups that never met cannot be compared")
	require.Greater(t, alone.High-alone.Low, 2000.0)
}

// The objective's gradient vanishes at the solution, and finite differences of the
// objective agree with the analytic derivatives.
func TestDerivatives(t *testing.T) {
	m := &model{n: 3, offset: math.Log(2), precision: 0.03, data: []comparison{
		{a: 0, b: 1, sets: 10, games: 30, shareA: 0.4, both: true, shareB: 0.3},
		{a: 1, b: 2, sets: 10, games: 30, shareA: 0.9, both: true, shareB: 0.1},
	}}
	theta := []float64{0.3, -0.2, 0.7}
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
