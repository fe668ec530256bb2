package solve

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/policy"
)

func newRNG(seed uint64) *engine.RNG { return engine.NewRNG(seed, 0) }

// TestAgentPlaysByItsValues plays random hands through the engine: every distribution is over
// the legal actions, and what is played is worth the most, up to what CFR+ still lacks in
// convergence.
func TestAgentPlaysByItsValues(t *testing.T) {
	for _, rules := range []string{"ace: greedy", "reveal: false\nsurrender: false"} {
		g := newGame(t, rules)
		newPolicy, _, err := SolveTables(t.Context(), g)
		require.NoError(t, err)
		p := newPolicy().(policy.Valuer)
		require.True(t, p.Scale().Exact)
		rng, s, asked := newRNG(3), g.NewState(), map[string]bool{}
		p.Reset()
		play := engine.Play{State: s, Chance: rng, Choose: func(seat int, legal []int) int {
			if key := string(s.InformationKey(seat, []byte{byte(seat)})); !asked[key] {
				asked[key] = true // the answer depends on nothing else
				requireBest(t, p, s, legal)
			}
			require.Contains(t, legal, p.Choose(s, legal, rng))
			return legal[rng.IntN(len(legal))]
		}}
		for range 2_000 {
			s.Reset()
			require.NoError(t, play.ToEnd())
		}
	}
}

func requireBest(t *testing.T, p policy.Valuer, s engine.State, legal []int) {
	t.Helper()
	odds, worth := make([]float64, len(legal)), make([]policy.Value, len(legal))
	p.(policy.Stochastic).Distribution(s, legal, odds)
	p.Values(s, legal, worth)
	sum, best := 0.0, worth[0].Mean
	for i := range legal {
		sum += odds[i]
		best = max(best, worth[i].Mean)
		require.GreaterOrEqual(t, worth[i].Risk, 0.0)
		require.LessOrEqual(t, worth[i].Risk, 1.0)
	}
	require.InDelta(t, 1, sum, 1e-12)
	loss := 0.0
	for i := range legal {
		loss += odds[i] * (best - worth[i].Mean)
	}
	require.InDelta(t, 0, loss, 1e-4, "%s", s)
}

// BenchmarkLookup looks up how a hand is played and what its choices are worth.
func BenchmarkLookup(b *testing.B) {
	s, list := usualStudy(b).Equilibrium, usualStudy(b).HeadsUp.PlayerHands()
	sum, i := 0.0, 0
	for b.Loop() {
		_, w, _ := s.Player(list[i])
		sum += w.Hit
		if i++; i == len(list) {
			i = 0
		}
	}
}

func BenchmarkEquilibrium(b *testing.B) {
	for b.Loop() {
		solve(b, newTable(b, ""))
	}
}

func BenchmarkBaseline(b *testing.B) {
	for b.Loop() {
		table := newTable(b, "")
		for _, dealer := range dealers {
			if _, err := table.Baseline(dealer); err != nil {
				b.Fatal(err)
			}
		}
	}
}
