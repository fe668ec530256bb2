package solver

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/games/kuhn"
	"croupier/games/leduc"
	"croupier/policy"
)

// recurrent bets with 1/4 in its first decision of a game and 3/4 in its second; it fails
// immediately if a game is not shown from the start.
type recurrent struct {
	policy.Random
	decisions int
}

func (p *recurrent) Reset() { p.decisions = 0 }

func (p *recurrent) Distribution(_ engine.State, _ []int, dst []float64) {
	p.decisions++
	dst[kuhn.Bet] = [...]float64{0, 0.25, 0.75}[p.decisions]
	dst[kuhn.Pass] = 1 - dst[kuhn.Bet]
}

func TestStrategyOfARecurrentPolicy(t *testing.T) {
	tree := newTree(t, kuhn.Game{})
	s := tableOf(t, tree, &recurrent{})
	for seat := range 2 {
		side := &tree.sides[seat]
		for set, history := range side.history {
			want := 0.25
			if len(history) == 4 { // two cards, check, bet: the second decision of seat 0
				want = 0.75
			}
			first, _ := side.span(set)
			require.InDelta(t, want, s.probability[seat][first+kuhn.Bet], 1e-15, "%v", history)
		}
	}
}

// fixed answers every question with the same numbers.
type fixed struct {
	policy.Random
	p [2]float64
}

func (f fixed) Distribution(_ engine.State, _ []int, dst []float64) { copy(dst, f.p[:]) }

func TestStrategyOfRefusesWhatIsNoDistribution(t *testing.T) {
	tree := newTree(t, kuhn.Game{})
	for _, p := range [][2]float64{{0.5, 0.4}, {1.5, -0.5}, {nan, 1}, {0, 0}} {
		_, err := StrategyOf(tree, func() policy.Policy { return fixed{p: p} })
		require.ErrorContains(t, err, "kuhn: policy of seat 1 after [0 1]")
		require.ErrorContains(t, err, "is not a distribution")
	}
	s := tableOf(t, tree, fixed{p: [2]float64{0.5, 0.5001}})
	require.InDelta(t, 1, s.probability[0][1]+s.probability[0][2], 1e-15, "float32 rounding is scaled away")
}

func TestPolicyPlaysItsTable(t *testing.T) {
	for _, game := range smallGames {
		t.Run(game.name, func(t *testing.T) {
			s := randomStrategy(newTree(t, game.game), 1)
			again := tableOf(t, s.tree, s.Policy())
			for seat := range 2 {
				require.InDeltaSlice(t, s.probability[seat], again.probability[seat], 1e-15)
			}
		})
	}
}

func TestPolicyChoosesWithoutAllocating(t *testing.T) {
	p := randomStrategy(newTree(t, leduc.Game{}), 1).Policy()
	state, rng := leduc.Game{}.NewState(), engine.NewRNG(1, engine.ActionStream)
	require.NoError(t, state.Apply(0))
	require.NoError(t, state.Apply(3))
	legal := state.LegalActions(nil)
	p.Choose(state, legal, rng) // grows the buffer of the key
	require.Zero(t, testing.AllocsPerRun(100, func() { p.Choose(state, legal, rng) }))
}

func TestValuesEqualAPlainWalk(t *testing.T) {
	for _, game := range smallGames {
		tree := newTree(t, game.game)
		t.Run(game.name, rapid.MakeCheck(func(t *rapid.T) {
			s := randomStrategy(tree, rapid.Uint64().Draw(t, "seed"))
			require.InDeltaSlice(t, simpleValues(game.game.NewState(), s.Policy()), s.Values(), 1e-12)
		}))
	}
}
