package tysiac

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

// shapedDeals plays deals of tysiac-hand and calls seen for each with its last state and
// what happened in it.
func shapedDeals(t *testing.T, deals int, seen func(s *State, terms []engine.Shaped),
	play func(s *State, legal []int, rng *engine.RNG) int) {
	t.Helper()
	game, err := NewHand(nil)
	require.NoError(t, err)
	s, before := game.NewState().(*State), game.NewState().(*State)
	for n := range uint64(deals) {
		s.Reset()
		rng := engine.NewRNG(n, engine.ChanceStream)
		var terms []engine.Shaped
		for s.phase != over {
			if s.Player() == engine.Chance {
				require.NoError(t, s.Apply(s.SampleChance(rng)))
				continue
			}
			action := play(s, s.LegalActions(nil), rng)
			before.CopyFrom(s)
			terms = game.(engine.Shaper).Shape(s, action, terms)
			require.Equal(t, before, s, "Shape has changed the state")
			require.NoError(t, s.Apply(action))
		}
		seen(s, terms)
	}
}

func count(terms []engine.Shaped, term, seat int) (n int) {
	for _, e := range terms {
		if e.Term == term && e.Seat == seat {
			n++
		}
	}
	return n
}

func TestShapingOfMeldsAndContracts(t *testing.T) {
	melds, precise, missed := 0, 0, 0
	shapedDeals(t, 3000, func(s *State, terms []engine.Shaped) {
		declared := 0
		for seat := range seats {
			n := count(terms, validMeld, seat)
			for suits := s.declared[seat]; suits != 0; suits &= suits - 1 {
				n--
			}
			require.Zero(t, n, "melds declared")
			declared += count(terms, validMeld, seat)
		}
		melds += declared
		played := s.played[0].Len() == handCards && s.played[1].Len() == handCards
		spare := int(s.points[s.playing&1]) - int(s.contract)
		want := 0
		if played && spare >= 0 && spare < 10 {
			want = 1
		} else if played {
			missed++
		}
		if s.playing != nobody {
			require.Equal(t, want, count(terms, preciseContract, int(s.playing)), s)
			require.Zero(t, count(terms, preciseContract, 1-int(s.playing)))
		}
		precise += want
	}, func(s *State, legal []int, rng *engine.RNG) int {
		v := s.view(s.Player())
		return heuristic(&v, legal, rng)
	})
	require.Positive(t, melds)
	require.Positive(t, precise)
	require.Positive(t, missed)
}

func TestShapingOfBombs(t *testing.T) {
	wasted, sensible := 0, 0
	shapedDeals(t, 1000, func(s *State, terms []engine.Shaped) {
		if s.playing == nobody || s.phase != over || s.contract != 0 {
			require.Zero(t, count(terms, wastedBomb, 0)+count(terms, wastedBomb, 1))
			return
		}
		_, _, worth := bestReturn(s.hands[s.playing])
		want := 0
		if worth >= s.standing() {
			want = 1
			wasted++
		} else {
			sensible++
		}
		require.Equal(t, want, count(terms, wastedBomb, int(s.playing)))
	}, func(s *State, legal []int, rng *engine.RNG) int {
		if s.phase == bombing {
			return Bomb
		}
		v := s.view(s.Player())
		return greedy(&v, legal, rng)
	})
	require.Positive(t, wasted)
	require.Positive(t, sensible)

	shapedDeals(t, 1000, func(_ *State, terms []engine.Shaped) {
		require.Zero(t, count(terms, wastedBomb, 0)+count(terms, wastedBomb, 1), "heuristic wastes none")
	}, func(s *State, legal []int, rng *engine.RNG) int {
		v := s.view(s.Player())
		return heuristic(&v, legal, rng)
	})
}
