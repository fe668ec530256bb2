package langestrasse

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func see(s *State) *View { return (&Game{tables: s.tables}).View(s, 0).(*View) }

func TestViewOfChoices(t *testing.T) {
	s := newState(t)
	require.InDelta(t, 0.0231, see(s).Danger, 5e-5, "a strich of the first roll")
	throw(t, s, 1, 2, 2, 2, 2, 3)
	v := see(s)
	require.Equal(t, []Die{
		{Face: 1, Least: 1},
		{2, 3, "a single 2 counts nothing: keep three or more of them, as a group"},
		{2, 3, "a single 2 counts nothing: keep three or more of them, as a group"},
		{2, 3, "a single 2 counts nothing: keep three or more of them, as a group"},
		{2, 3, "a single 2 counts nothing: keep three or more of them, as a group"},
		{3, 0, "a 3 counts only among three or more of one roll, or next to a group of 3s"},
	}, v.Thrown)
	require.Len(t, v.Choices, 5)
	four := v.Choices[4]
	require.Equal(t, []int{1, 2, 2, 2, 2}, four.Faces)
	require.Equal(t, [4]int{500, 500, 500, 1}, [4]int{four.Gain, four.Set, four.Turn, four.Left})
	require.InDelta(t, 3.0/6, four.Strich, 1e-12, "1, 2 and 5 can be kept")
	require.Equal(t, []int{four.Roll, four.Roll + 1}, []int{2 * 0b11111, four.Stop})
	require.Empty(t, four.WhyRoll)
	require.Equal(t, "ending the turn takes 300 points in this set", v.Choices[0].WhyRoll)
	require.Contains(t, v.String(),
		"keep 1-2-2-2-2: 500 points, then 1 die with a strich in 50 %, or end the turn with 500\n")
}

// Every legal action is in exactly one choice, wherever random play leads.
func TestViewHasEveryAction(t *testing.T) {
	s, rng := newState(t), engine.NewRNG(3, 0)
	for range 3000 {
		switch s.Player() {
		case engine.Terminal:
			s.Reset()
		case engine.Chance:
			require.NoError(t, s.Apply(s.SampleChance(rng)))
		default:
			legal := s.LegalActions(nil)
			var offered []int
			for _, k := range see(s).Choices {
				for _, action := range []int{k.Roll, k.Stop} {
					if action >= 0 {
						offered = append(offered, action)
					}
				}
				require.Equal(t, k.Stop < 0, k.WhyRoll != "", "%+v", k)
			}
			require.ElementsMatch(t, legal, offered, s)
			require.NoError(t, s.Apply(legal[rng.IntN(len(legal))]))
		}
	}
}

func TestViewOfTurnsBefore(t *testing.T) {
	s := newState(t)
	throw(t, s, 1, 2, 2, 3, 4, 6)
	keep(t, s, 1)
	throw(t, s, 2, 3, 4, 6, 6)
	v := see(s)
	require.Equal(t, &TurnEnd{How: "strich", Points: 100, Kept: []int{1}, Thrown: []int{2, 3, 4, 6, 6}, Totale: true},
		v.Before)
	require.Equal(t, Player{Missing: target, Striche: 1, Money: -100, Place: 1}, v.Players[0])
	require.Contains(t, v.String(), "You threw 2-3-4-6-6: a Totale, which pays 50 ct to each other player, 100 points "+
		"lost.\nRound 1. Turn of: seat 2\n")
	throw(t, s, 2, 2, 3, 3, 4, 4)
	require.Equal(t, "Talheim", see(s).Choices[0].Special)
	require.NoError(t, s.Apply(Talheim))
	require.Equal(t, &TurnEnd{Seat: 1, How: "talheim", Points: 1000, Kept: []int{}, Thrown: []int{}}, see(s).Before)
	throw(t, s, 1, 2, 3, 4, 5, 6)
	require.NoError(t, s.Apply(Straight))
	require.Equal(t, 1250, see(s).Turn)
	require.Equal(t, 150, int(s.money[2]))
	throw(t, s, 1, 2, 2, 3, 4, 6)
	require.NotContains(t, see(s).String(), "This turn so far")
	keep(t, s, 1)
	require.Contains(t, see(s).String(), "Kept: 1 (100 points)\nThis turn so far: 1350 points\n")
}
