package pig

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func TestFigures(t *testing.T) {
	s := newState(t, "target: 12")
	sums := engine.NewSums(s.game.Spec())
	for _, step := range []int{
		Roll, die(6), Roll, die(1), // seat 0 loses its 6
		Roll, die(4), Hold, // seat 1 has 4
		Roll, die(5), Hold, // seat 0 has 5
		Roll, die(5), Roll, die(3), Hold, // seat 1 wins with 12
	} {
		s.MeasureStep(step, sums)
		apply(t, s, step)
	}
	require.Equal(t, engine.Terminal, s.Player())
	s.MeasureEnd(sums)
	require.Equal(t, []engine.Sum{turnPoints: {Value: 5, Weight: 2}, turnsLost: {Value: 1, Weight: 2},
		holdPoints: {Value: 5, Weight: 1}},
		sums.Of(0))
	require.Equal(t, []engine.Sum{turnPoints: {Value: 12, Weight: 2}, turnsLost: {Value: 0, Weight: 2},
		holdPoints: {Value: 12, Weight: 2}},
		sums.Of(1))
}
