package solver

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"croupier/engine"
	"croupier/games/kuhn"
	"croupier/policy"
)

// TestActionValuesEqualTheBestOfAllPureContinuations takes every information set and
// action of Kuhn poker, and tries all 2^6 pure strategies of the seat from there on.
func TestActionValuesEqualTheBestOfAllPureContinuations(t *testing.T) {
	tree := newTree(t, kuhn.Game{})
	rapid.Check(t, func(t *rapid.T) {
		s := randomStrategy(tree, rapid.Uint64().Draw(t, "seed")).trembling()
		values := s.actionValues()
		for seat := range 2 {
			side := &tree.sides[seat]
			for key, set := range side.sets {
				first, end := side.span(int(set))
				for q := first; q < end; q++ {
					best := math.Inf(-1)
					for pure := range 1 << 6 {
						c := conditional{strategy: s, seat: seat, key: key, action: side.action[q], pure: pure}
						c.walk(kuhn.Game{}.NewState(), 1, false)
						best = max(best, c.value/c.reach)
					}
					require.InDelta(t, best, values[seat][q], 1e-6)
				}
			}
		}
	})
}

// conditional sums up the value of the histories that pass an information set of the seat and
// its action there, where the seat does everything to get there and then plays a pure strategy,
// one bit per information set.
type conditional struct {
	strategy     *Strategy
	seat         int
	key          string
	action, pure int
	value, reach float64
}

func (c *conditional) walk(s engine.State, p float64, passed bool) {
	switch player := s.Player(); {
	case player == engine.Terminal:
		var returns [2]float64
		if s.Returns(returns[:]); passed {
			c.value += p * returns[c.seat]
			c.reach += p
		}
	case player == engine.Chance:
		for _, o := range s.Outcomes(nil) {
			c.walk(after(s, o.Index), p*o.Probability, passed)
		}
	case player != c.seat:
		var d [2]float64
		c.strategy.Policy().Distribution(s, []int{kuhn.Pass, kuhn.Bet}, d[:])
		for action, q := range d {
			c.walk(after(s, action), p*q, passed)
		}
	case string(s.InformationKey(c.seat, nil)) == c.key:
		c.walk(after(s, c.action), p, true)
	case passed:
		set := c.strategy.tree.sides[c.seat].sets[string(s.InformationKey(c.seat, nil))]
		c.walk(after(s, c.pure>>set&1), p, true)
	default:
		c.walk(after(s, kuhn.Pass), p, false)
		c.walk(after(s, kuhn.Bet), p, false)
	}
}

func TestKuhnActionValues(t *testing.T) {
	factory, _, err := SolveTables(t.Context(), kuhn.Game{})
	require.NoError(t, err)
	p := factory().(policy.Valuer)
	scale := p.Scale()
	require.InDelta(t, 5e-4, scale.Accuracy, 5e-4)
	require.Positive(t, scale.Accuracy)
	require.Equal(t, policy.Scale{Unit: "antes", Exact: true, Accuracy: scale.Accuracy}, scale)
	for name, test := range map[string]struct {
		history   []int
		pass, bet float64
	}{
		"a jack loses its ante either way":     {[]int{0, 1}, -1, -1},
		"a jack is folded":                     {[]int{1, 0, kuhn.Bet}, -1, -2},
		"a king is not":                        {[]int{1, 2, kuhn.Bet}, -1, 2},
		"a queen catches a bluff as often":     {[]int{0, 1, kuhn.Bet}, -1, -1},
		"a jack bluffs without gain":           {[]int{1, 0, kuhn.Pass}, -1, -1},
		"hidden cards change nothing":          {[]int{2, 0, kuhn.Bet, kuhn.Pass}[:2], 0, 0},
		"nor does what the other seat did not": {[]int{2, 1}, 0, 0},
	} {
		state := kuhn.Game{}.NewState()
		for _, step := range test.history {
			require.NoError(t, state.Apply(step))
		}
		var v [2]policy.Value
		p.Values(state, []int{kuhn.Pass, kuhn.Bet}, v[:])
		if test.history[0] == 2 { // both are worth the same to the king, 7/6
			test.pass, test.bet = 7.0/6, 7.0/6
		}
		require.InDelta(t, test.pass, v[kuhn.Pass].Mean, 1e-2, name)
		require.InDelta(t, test.bet, v[kuhn.Bet].Mean, 1e-2, name)
		require.Equal(t, v[0].Mean, v[0].Low)
		require.Equal(t, v[0].Mean, v[0].High)
	}
}
