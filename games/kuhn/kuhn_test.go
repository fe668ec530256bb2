package kuhn

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/enginetest"
)

// play applies the steps to a new state.
func play(t testing.TB, steps ...int) *State {
	t.Helper()
	s := Game{}.NewState().(*State)
	for i, step := range steps {
		require.NoError(t, s.Apply(step), "step %d of %v", i, steps)
	}
	return s
}

func TestConformance(t *testing.T) { enginetest.Run(t, New) }

func TestReturnsOfEveryBetting(t *testing.T) {
	const low, high = 0, 2
	tests := []struct {
		name          string
		moves         []int
		ahead, behind float64 // returns of seat 0 when it has the higher, the lower card
	}{
		{"both check", []int{Pass, Pass}, 1, -1},
		{"bet, fold", []int{Bet, Pass}, 1, 1},
		{"bet, call", []int{Bet, Bet}, 2, -2},
		{"check, bet, fold", []int{Pass, Bet, Pass}, -1, -1},
		{"check, bet, call", []int{Pass, Bet, Bet}, 2, -2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for cards, want := range map[[2]int]float64{{high, low}: test.ahead, {low, high}: test.behind} {
				s := play(t, append(cards[:], test.moves...)...)
				require.Equal(t, engine.Terminal, s.Player())
				returns := []float64{9, 9}
				s.Returns(returns)
				require.Equal(t, []float64{want, -want}, returns)
			}
		})
	}
}

func TestSeatsAlternateFromSeatZero(t *testing.T) {
	require.Equal(t, 0, play(t, 1, 2).Player())
	require.Equal(t, 1, play(t, 1, 2, Pass).Player())
	require.Equal(t, 1, play(t, 1, 2, Bet).Player())
	require.Equal(t, 0, play(t, 1, 2, Pass, Bet).Player())
}

func TestCardsAreDealtWithoutReplacement(t *testing.T) {
	s := play(t, 1)
	require.Equal(t, []engine.Outcome{{Index: 0, Probability: 0.5}, {Index: 2, Probability: 0.5}}, s.Outcomes(nil))
	before := *s
	require.ErrorIs(t, s.Apply(1), engine.ErrIllegal)
	require.ErrorContains(t, s.Apply(1), "already been dealt")
	require.ErrorIs(t, s.Apply(3), engine.ErrIllegal)
	require.Equal(t, before, *s)
}

func TestSeatsSeeOnlyTheirOwnCard(t *testing.T) {
	s := play(t)
	require.Equal(t, 2, s.Seen(0, 2))
	require.Equal(t, engine.Hidden, s.Seen(1, 2))
	require.Equal(t, []byte{3, 0, 2}, play(t, 2, 0, Bet).InformationKey(0, nil))
	require.Equal(t, []byte{0, 1, 2}, play(t, 2, 0, Bet).InformationKey(1, nil))
}

func TestObservationLayout(t *testing.T) {
	dst := make([]float32, observationSize)
	play(t, 2, 0, Pass, Bet).Observe(0, dst)
	require.Equal(t, []float32{
		1, 0, // seat 0
		0, 0, 1, // king
		0.5, 1, // paid 1 and 2 of 2
		1, 0, 0, 1, 0, 0, // pass, bet
	}, dst)
}

func TestPeopleReadWhatHappens(t *testing.T) {
	s := play(t, 2, 0)
	require.Equal(t, "check", s.ActionName(Pass))
	require.Equal(t, "bet", s.ActionName(Bet))
	require.NoError(t, s.Apply(Bet))
	require.Equal(t, "fold", s.ActionName(Pass))
	require.Equal(t, "call", s.ActionName(Bet))
	require.NoError(t, s.Apply(Bet))
	require.Equal(t, "seat 1: K, paid 2; seat 2: J, paid 2; moves: bb; returns: +2, -2", s.String())
}

func TestRulesHaveNoKeys(t *testing.T) {
	_, err := New([]byte("cards: 4"))
	require.ErrorContains(t, err, "cards")
	g, err := New(nil)
	require.NoError(t, err)
	require.Equal(t, Rules{}, g.Rules())
}

func TestBots(t *testing.T) {
	for _, name := range (Game{}).Bots().References {
		_, err := Game{}.Bots().New(name)
		require.NoError(t, err)
	}
	for _, name := range []string{"equilibrium", "equilibrium(0.5)", "equilibrium(-0.1)", "equilibrium(nan)",
		"always-bet(1)", "shark", "("} {
		_, err := Game{}.Bots().New(name)
		require.ErrorContains(t, err, name)
	}
}

// TestEquilibriumBotSamplesItsDistribution compares frequencies of Choose with
// Distribution at every decision node: five standard errors of 20,000 draws.
func TestEquilibriumBotSamplesItsDistribution(t *testing.T) {
	const draws = 20_000
	bot := Equilibrium(0.2)
	rng := engine.NewRNG(1, engine.ActionStream)
	for _, moves := range [][]int{{}, {Pass}, {Bet}, {Pass, Bet}} {
		for card := range cards {
			t.Run(fmt.Sprint(moves, card), func(t *testing.T) {
				deal := [2]int{(card + 1) % cards, (card + 1) % cards}
				deal[len(moves)%2] = card
				s := play(t, append(deal[:], moves...)...)
				var p [2]float64
				bot.Distribution(s, nil, p[:])
				bets := 0
				for range draws {
					bets += bot.Choose(s, nil, rng)
				}
				require.InDelta(t, p[Bet], float64(bets)/draws, 5*math.Sqrt(p[Pass]*p[Bet]/draws)+1e-12)
			})
		}
	}
}

func BenchmarkPlayouts(b *testing.B) { enginetest.BenchmarkPlayouts(b, New, "") }
