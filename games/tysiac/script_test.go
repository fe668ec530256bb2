package tysiac

import (
	"strings"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/tysiac/cards"
)

// tester is a test or a rapid check.
type tester interface {
	require.TestingT
	Helper()
}

func newState(t tester, rules string) *State {
	t.Helper()
	g, err := New([]byte(rules))
	require.NoError(t, err)
	return g.NewState().(*State)
}

func newHandState(t tester, rules string) *State {
	t.Helper()
	g, err := NewHand([]byte(rules))
	require.NoError(t, err)
	return g.NewState().(*State)
}

// cardsOf reads names like "10♥ A♥".
func cardsOf(t tester, names string) (list []int) {
	t.Helper()
	for _, name := range strings.Fields(names) {
		found := -1
		for card := range cards.Count {
			if cards.Name(card) == name {
				found = card
			}
		}
		require.GreaterOrEqual(t, found, 0, "no card %q", name)
		list = append(list, found)
	}
	return list
}

// deal deals the named cards to seat 0, seat 1 and the first musik, and fills each place with
// the lowest cards that are not named.
func deal(t tester, s *State, places ...string) {
	t.Helper()
	named := make([][]int, 4)
	left := cards.All
	for i, names := range places {
		named[i] = cardsOf(t, names)
		for _, card := range named[i] {
			require.True(t, left.Has(card), "%s appears twice", cards.Name(card))
			left &^= cards.Of(card)
		}
	}
	for place, size := range []int{handCards, handCards, musikSize, musikSize} {
		for len(named[place]) < size {
			named[place] = append(named[place], left.First())
			left &= left - 1
		}
		for _, card := range named[place] {
			require.NoError(t, s.Apply(card))
		}
	}
}

// dealAnyhow deals at random.
func dealAnyhow(t tester, s *State, rng *engine.RNG) {
	t.Helper()
	for s.Player() == engine.Chance {
		require.NoError(t, s.Apply(s.SampleChance(rng)))
	}
}

// act makes the actions of these names, which must be legal.
func act(t tester, s *State, names ...string) {
	t.Helper()
	for _, name := range names {
		action, ok := find(s, name)
		require.True(t, ok, "%q is not among %v of seat %d\n%v", name, legalNames(s), s.Player(), s)
		require.NoError(t, s.Apply(action))
	}
}

func find(s *State, name string) (int, bool) {
	for _, action := range s.LegalActions(nil) {
		if s.ActionName(action) == name {
			return action, true
		}
	}
	return 0, false
}

func legalNames(s *State) (names []string) {
	for _, action := range s.LegalActions(nil) {
		names = append(names, s.ActionName(action))
	}
	return names
}

// random plays to the end of the hand, or until stop.
func random(t tester, s *State, rng *engine.RNG, stop func() bool) {
	t.Helper()
	play := engine.Play{State: s, Chance: rng, Choose: func(_ int, legal []int) int { return legal[rng.IntN(len(legal))] }}
	for hand := s.hand; s.hand == hand && s.Player() != engine.Terminal && !stop(); {
		_, err := play.Step()
		require.NoError(t, err)
	}
}
