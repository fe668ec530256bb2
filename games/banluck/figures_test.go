package banluck

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

// measure replays the hand and returns its figures.
func (g game) measure() engine.Sums {
	s, sums := g.game.NewState().(*State), engine.NewSums(g.game.Spec())
	for _, e := range g.events[:g.length] {
		s.MeasureStep(e.action(), sums)
		require.NoError(g.t, s.Apply(e.action()))
	}
	require.Equal(g.t, engine.Terminal, s.Player())
	s.MeasureEnd(sums)
	return sums
}

func TestFigures(t *testing.T) {
	// Seat 0 has 24 and seat 1 keeps 14: both lose a unit. The dealer has 17, reveals seat
	// 0 and stands.
	sums := start(t, "players: 2", "T4", "95", "T7").hits(0, "T").acts(1, Stand).acts(2, Reveal).acts(2, Stand).measure()
	require.Equal(t, []engine.Sum{
		playerReturn: {Value: -1, Weight: 1}, dealerReturn: {}, playerBust: {Value: 1,
			Weight: 1}, playerForfeit: {}, dealerBust: {}, surrender: {}, reveal: {},
	}, sums.Of(0))
	require.Equal(t, []engine.Sum{
		playerReturn: {Value: -1, Weight: 1}, dealerReturn: {}, playerBust: {Weight: 1}, playerForfeit: {Value: 1,
			Weight: 1}, dealerBust: {}, surrender: {}, reveal: {},
	}, sums.Of(1))
	require.Equal(t, []engine.Sum{
		playerReturn: {}, dealerReturn: {Value: 2, Weight: 1}, playerBust: {}, playerForfeit: {}, dealerBust: {Weight: 1},
		surrender: {}, reveal: {Value: 1, Weight: 1},
	}, sums.Of(2))

	sums = start(t, "", "T9", "T5").acts(1, Surrender).measure()
	require.Equal(t, engine.Sum{Value: 1, Weight: 1}, sums.Of(1)[surrender])
	require.Equal(t, engine.Sum{Weight: 1}, sums.Of(1)[dealerReturn])

	sums = start(t, "", "T9", "T5").acts(1, Continue).acts(0, Stand).cards("9").measure()
	require.Equal(t, engine.Sum{Weight: 1}, sums.Of(1)[surrender])
	require.Equal(t, engine.Sum{Value: 1, Weight: 1}, sums.Of(1)[dealerBust])
	require.Equal(t, engine.Sum{Value: 1, Weight: 1}, sums.Of(0)[playerReturn])
	require.Equal(t, engine.Sum{Weight: 1}, sums.Of(0)[playerForfeit])
}
