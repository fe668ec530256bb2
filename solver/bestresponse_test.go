package solver

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/games/kuhn"
	"croupier/games/leduc"
	"croupier/policy"
)

// TestExploitabilityOfUniformPlay compares with what OpenSpiel publishes as NashConv,
// twice the exploitability: 0.916667 for Kuhn poker, 4.747222 for Leduc hold'em.
func TestExploitabilityOfUniformPlay(t *testing.T) {
	require.InDelta(t, 0.916667/2, tableOf(t, newTree(t, kuhn.Game{}), policy.Random{}).Exploitability(), 1e-6)
	require.InDelta(t, 4.747222/2, tableOf(t, newTree(t, leduc.Game{}), policy.Random{}).Exploitability(), 1e-6)
}

// A third seat that is never to move changes nothing but the number of seats.
func TestExploitabilityIsPerSeat(t *testing.T) {
	s := tableOf(t, newTree(t, &variant{seats: 3}), policy.Random{})
	require.InDeltaSlice(t, []float64{0.125, -0.125, 0}, s.Values(), 1e-12)
	require.InDelta(t, 0.916667/3, s.Exploitability(), 1e-6)
}

// TestPublishedKuhnEquilibria: every member of Kuhn's family has the value -1/18 for
// the first player and cannot be exploited.
func TestPublishedKuhnEquilibria(t *testing.T) {
	tree := newTree(t, kuhn.Game{})
	for _, alpha := range []float64{0, 0.1, 0.2, 0.25, 1.0 / 3} {
		t.Run(fmt.Sprint(alpha), func(t *testing.T) {
			s := tableOf(t, tree, kuhnEquilibrium{kuhn.Equilibrium(alpha)})
			require.InDelta(t, -1.0/18, s.Values()[0], 1e-12)
			require.InDelta(t, 0, s.Exploitability(), 1e-12)
		})
	}
}

// TestBestResponseEqualsTheBestOfAllPureStrategies tries all 2^6 pure strategies of a
// seat of Kuhn poker by walking the game.
func TestBestResponseEqualsTheBestOfAllPureStrategies(t *testing.T) {
	tree := newTree(t, kuhn.Game{})
	rapid.Check(t, func(t *rapid.T) {
		s := randomStrategy(tree, rapid.Uint64().Draw(t, "seed"))
		for seat := range 2 {
			best := -10.0
			for pure := range 1 << 6 {
				candidate := newStrategy(tree)
				copy(candidate.probability, s.probability)
				candidate.probability[seat] = make([]float64, tree.sides[seat].sequences())
				for set := range 6 {
					first, _ := tree.sides[seat].span(set)
					candidate.probability[seat][first+int32(pure>>set&1)] = 1
				}
				best = max(best, simpleValues(kuhn.Game{}.NewState(), candidate.Policy())[seat])
			}
			value, _ := s.BestResponse(seat)
			require.InDelta(t, best, value, 1e-12)
		}
	})
}

func TestBestResponseReachesItsValueAndNobodyReachesMore(t *testing.T) {
	for _, game := range smallGames {
		tree := newTree(t, game.game)
		t.Run(game.name, rapid.MakeCheck(func(t *rapid.T) {
			s := randomStrategy(tree, rapid.Uint64().Draw(t, "seed"))
			other := randomStrategy(tree, rapid.Uint64().Draw(t, "other"))
			for seat := range 2 {
				value, response := s.BestResponse(seat)
				require.InDelta(t, value, simpleValues(game.game.NewState(), response.Policy())[seat], 1e-12)
				mixed := newStrategy(tree)
				copy(mixed.probability, s.probability)
				mixed.probability[seat] = other.probability[seat]
				require.GreaterOrEqual(t, value, mixed.Values()[seat]-1e-12)
			}
			require.GreaterOrEqual(t, s.Exploitability(), -1e-12)
		}))
	}
}

func BenchmarkExploitability(b *testing.B) {
	s := randomStrategy(newTree(b, leduc.Game{}), 1)
	for b.Loop() {
		s.Exploitability()
	}
}
