package leduc

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/enginetest"
)

// Cards by name: rank × 2 + suit.
const (
	js, jh, qs, qh, ks, kh = 0, 1, 2, 3, 4, 5
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

func returns(s *State) []float64 {
	dst := []float64{9, 9}
	s.Returns(dst)
	return dst
}

func TestConformance(t *testing.T) { enginetest.Run(t, New) }

func TestReturns(t *testing.T) {
	tests := []struct {
		name  string
		steps []int
		want  float64 // of seat 0
	}{
		{"higher rank wins the antes", []int{ks, js, Call, Call, qs, Call, Call}, 1},
		{"lower rank loses", []int{js, qs, Call, Call, ks, Call, Call}, -1},
		{"pair of seat 0 beats a higher card", []int{js, ks, Call, Call, jh, Call, Call}, 1},
		{"pair of seat 1 beats a higher card", []int{ks, qs, Call, Call, qh, Call, Call}, -1},
		{"equal ranks split", []int{qs, qh, Raise, Call, js, Raise, Raise, Call}, 0},
		{"fold to a raise of the first round", []int{ks, js, Raise, Fold}, 1},
		{"fold to the second raise loses the first", []int{ks, js, Raise, Raise, Fold}, -3},
		{"raises of the first round are 2", []int{ks, js, Raise, Raise, Call, qs, Call, Call}, 5},
		{"raises of the second round are 4", []int{js, ks, Call, Call, qs, Raise, Call}, -5},
		{"the largest pot", []int{js, ks, Raise, Raise, Call, qs, Raise, Raise, Call}, -13},
		{"the longest game", []int{ks, js, Call, Raise, Raise, Call, qs, Call, Raise, Raise, Call}, 13},
		{"fold in the second round", []int{ks, js, Raise, Call, qs, Call, Raise, Fold}, -3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := play(t, test.steps...)
			require.Equal(t, engine.Terminal, s.Player())
			require.Equal(t, []float64{test.want, -test.want}, returns(s))
		})
	}
}

func TestReturnsAreZeroBeforeTheEnd(t *testing.T) {
	require.Equal(t, []float64{0, 0}, returns(play(t, ks, js, Raise)))
}

func TestLegalActions(t *testing.T) {
	tests := []struct {
		name  string
		moves []int
		want  []int
	}{
		{"no fold without a raise", nil, []int{Call, Raise}},
		{"after a check", []int{Call}, []int{Call, Raise}},
		{"facing a raise", []int{Raise}, []int{Fold, Call, Raise}},
		{"two raises are the limit", []int{Raise, Raise}, []int{Fold, Call}},
		{"also after a check", []int{Call, Raise, Raise}, []int{Fold, Call}},
		{"the second round has its own two raises", []int{Raise, Raise, Call, qs}, []int{Call, Raise}},
		{"at a chance node", []int{Call, Call}, nil},
		{"at the end", []int{Raise, Fold}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := play(t, append([]int{ks, js}, test.moves...)...)
			require.Equal(t, test.want, s.LegalActions(nil))
			before := *s
			if s.Player() < 0 {
				return
			}
			for action := -1; action <= 3; action++ {
				if !slices.Contains(test.want, action) {
					require.ErrorIs(t, s.Apply(action), engine.ErrIllegal)
					require.Equal(t, before, *s)
				}
			}
		})
	}
}

func TestSeatZeroBeginsBothRounds(t *testing.T) {
	require.Equal(t, 0, play(t, ks, js).Player())
	require.Equal(t, engine.Chance, play(t, ks, js, Call, Raise, Call).Player())
	require.Equal(t, 0, play(t, ks, js, Call, Raise, Call, qh).Player())
}

func TestCardsAreDealtWithoutReplacement(t *testing.T) {
	s := play(t, jh, qs, Call, Call)
	require.Equal(t, []engine.Outcome{
		{Index: js, Probability: 0.25}, {Index: qh, Probability: 0.25},
		{Index: ks, Probability: 0.25}, {Index: kh, Probability: 0.25},
	}, s.Outcomes(nil))
	for _, card := range []int{jh, qs, -1, 6} {
		require.ErrorIs(t, s.Apply(card), engine.ErrIllegal)
	}
}

func TestSeatsSeeTheirOwnAndThePublicCard(t *testing.T) {
	s := play(t, ks)
	require.Equal(t, engine.Hidden, s.Seen(0, js))
	require.Equal(t, js, s.Seen(1, js))
	s = play(t, ks, js, Call, Call)
	require.Equal(t, qh, s.Seen(0, qh))
	require.Equal(t, qh, s.Seen(1, qh))
	s = play(t, ks, js, Call, Call, qh, Raise)
	require.Equal(t, []byte{5, 0, 2, 2, 4, 3}, s.InformationKey(0, nil))
	require.Equal(t, []byte{0, 1, 2, 2, 4, 3}, s.InformationKey(1, nil))
}

func TestObservationLayout(t *testing.T) {
	dst := make([]float32, observationSize)
	play(t, ks, js, Call, Raise, Call, qh, Raise).Observe(1, dst)
	require.Equal(t, []float32{
		0, 1, // seat 1
		1, 0, 0, // jack
		0, 1, 0, // public queen
		3. / 13, 7. / 13, // own and the other's chips
		1, 0, 0, 1, 1, 0, 0, 0, // call, raise, call
		0, 1, 0, 0, 0, 0, 0, 0, // raise
	}, dst)
}

func TestPeopleReadWhatHappens(t *testing.T) {
	s := play(t, ks, js)
	require.Equal(t, "check", s.ActionName(Call))
	require.NoError(t, s.Apply(Raise))
	require.Equal(t, "call", s.ActionName(Call))
	s = play(t, ks, js, Call, Call, qh, Raise, Fold)
	require.Equal(t, "seat 1: Ks, paid 5; seat 2: Js, paid 1; public: Qh; moves: cc/rf; returns: +1, -1", s.String())
}

func TestRulesHaveNoKeys(t *testing.T) {
	_, err := New([]byte("ante: 4"))
	require.ErrorContains(t, err, "ante")
	g, err := New(nil)
	require.NoError(t, err)
	require.Equal(t, Rules{}, g.Rules())
}

func TestBotsFollowTheirHands(t *testing.T) {
	tests := []struct {
		bot   string
		steps []int
		want  int
	}{
		{"tight", []int{ks, js}, Raise},
		{"tight", []int{qs, js}, Call},
		{"tight", []int{js, qs}, Call},
		{"tight", []int{qs, js, Call, Raise}, Call},
		{"tight", []int{js, qs, Call, Raise}, Fold},
		{"tight", []int{ks, js, Raise, Raise, Call, qs}, Call},
		{"tight", []int{qs, js, Call, Call, qh}, Raise},
		{"tight", []int{qs, js, Call, Call, kh, Call, Raise}, Fold},
		{"tight", []int{ks, js, Call, Call, qh, Call, Raise}, Call},
		{"tight", []int{js, ks, Call, Call, jh, Raise, Raise}, Call},
		{"loose", []int{qs, js}, Raise},
		{"loose", []int{ks, js, Raise}, Call},
		{"loose", []int{qs, js, Call, Call, ks}, Call},
		{"loose", []int{js, ks, Call, Call, jh}, Raise},
		{"loose", []int{js, ks, Call, Call, qh, Raise}, Raise},
		{"caller", []int{ks, js, Raise}, Call},
	}
	for _, test := range tests {
		bot, err := Game{}.Bots().New(test.bot)
		require.NoError(t, err)
		s := play(t, test.steps...)
		legal := s.LegalActions(nil)
		require.Equal(t, test.want, bot.Choose(s, legal, nil), "%s after %v", test.bot, test.steps)
		require.Contains(t, legal, test.want)
	}
}

func TestBotNames(t *testing.T) {
	for _, name := range (Game{}).Bots().References {
		_, err := Game{}.Bots().New(name)
		require.NoError(t, err)
	}
	for _, name := range []string{"shark", "tight(2)", ""} {
		_, err := Game{}.Bots().New(name)
		require.ErrorContains(t, err, name)
	}
}

func BenchmarkPlayouts(b *testing.B) { enginetest.BenchmarkPlayouts(b, New, "") }
