package play

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/wasm"
)

// A seat of a game without a view sees what it observes, and others nothing.
func TestGamesWithoutAViewShowTheObservation(t *testing.T) {
	file, err := os.ReadFile("../engine/wasm/kits/c/kuhn.wasm")
	require.NoError(t, err)
	f, err := wasm.Open(file)
	require.NoError(t, err)
	game, err := f.New(nil)
	require.NoError(t, err)
	s := game.NewState()
	for _, step := range []int{2, 0, 1} {
		require.NoError(t, s.Apply(step))
	}
	require.Equal(t, "seat: 0 1\ncard: 1 0 0\npot: 0.5 1\nbetting: 0 1 0 0 0 0", fmt.Sprint(ViewOf(game, s, 1)))
	require.Nil(t, ViewOf(game, s, engine.Public))

	wide := &engine.Spec{ObservationSize: 20, Segments: []engine.Segment{{Name: "own_discs", Size: 20}}}
	require.Equal(t, "own discs: 3, 7: 0.5", observed(some{}, wide, 0).Text)
}

// some observes two numbers of twenty.
type some struct{ engine.State }

func (some) Observe(_ int, dst []float32) { dst[3], dst[7] = 1, 0.5 }
