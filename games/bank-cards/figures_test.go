package bankcards

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func TestFigures(t *testing.T) {
	s := small(t, "")
	sums := engine.NewSums(s.game.Spec())
	for _, step := range []int{
		play + 5,  // seat 0 leads
		play + 11, // seat 1
		Draw, 20,  // seat 0 could play 15
		play + 16, // seat 1
		play + 20, // seat 0
		Draw, 19,  // seat 1 has 6: it must
		Draw, 1, // seat 0 has 10 and 15: it must
		Draw, 2, // seat 1
	} {
		s.MeasureStep(step, sums)
		apply(t, s, step)
	}
	require.Equal(t, of(1, 10, 15), s.hands[0])
	require.Equal(t, []engine.Sum{draws: {Value: 2, Weight: 4}, freeDraws: {Value: 1, Weight: 2}, turns: {Value: 4},
		cardsLeft: {}},
		sums.Of(0))
	require.Equal(t, []engine.Sum{draws: {Value: 2, Weight: 4}, freeDraws: {Value: 0, Weight: 2}, turns: {Value: 4},
		cardsLeft: {}},
		sums.Of(1))

	s.hands[1], s.player = cards{}, engine.Terminal
	s.MeasureEnd(sums)
	require.Equal(t, []engine.Sum{{Value: 4, Weight: 1}, {Value: 3, Weight: 1}}, sums.Of(0)[turns:])
	require.Equal(t, []engine.Sum{{Value: 4, Weight: 1}, {}}, sums.Of(1)[turns:])
}
