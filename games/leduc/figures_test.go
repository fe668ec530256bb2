package leduc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

func TestFigures(t *testing.T) {
	s := Game{}.NewState().(*State)
	sums := engine.NewSums(Game{}.Spec())
	for _, step := range []int{
		js, ks,
		Raise, Raise, Call, // the call cannot raise
		jh,
		Raise, // with a pair of jacks: no bluff
		Fold,
	} {
		s.MeasureStep(step, sums)
		require.NoError(t, s.Apply(step))
	}
	s.MeasureEnd(sums)
	require.Equal(t, []engine.Sum{raises: {Value: 2, Weight: 2}, bluffs: {Value: 1, Weight: 1},
		folds: {Value: 0, Weight: 1}},
		sums.Of(0))
	require.Equal(t, []engine.Sum{raises: {Value: 1, Weight: 2}, bluffs: {}, folds: {Value: 1, Weight: 2}}, sums.Of(1))
}
