package kuhn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func TestFigures(t *testing.T) {
	const queen, king = 1, 2
	for _, test := range []struct {
		history []int
		want    [2][]engine.Sum
	}{
		{[]int{jack, king, Bet, Bet}, [2][]engine.Sum{
			{bets: {Value: 1, Weight: 1}, bluffs: {Value: 1, Weight: 1}, calls: {}},
			{bets: {}, bluffs: {}, calls: {Value: 1, Weight: 1}},
		}},
		{[]int{queen, jack, Pass, Bet, Pass}, [2][]engine.Sum{
			{bets: {Value: 0, Weight: 1}, bluffs: {}, calls: {Value: 0, Weight: 1}},
			{bets: {Value: 1, Weight: 1}, bluffs: {Value: 1, Weight: 1}, calls: {}},
		}},
	} {
		s := Game{}.NewState().(*State)
		sums := engine.NewSums(Game{}.Spec())
		for _, step := range test.history {
			s.MeasureStep(step, sums)
			require.NoError(t, s.Apply(step))
		}
		s.MeasureEnd(sums)
		for seat, want := range test.want {
			require.Equal(t, want, sums.Of(seat), "seat %d of %v", seat, test.history)
		}
	}
}
