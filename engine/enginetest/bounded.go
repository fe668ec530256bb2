package enginetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

// checkBoundaries: rounds begin at chance nodes, the first one at the beginning of the game.
func (c *suite) checkBoundaries(t *testing.T) {
	if _, ok := c.game.NewState().(engine.Bounded); !ok {
		t.Skip("the game has no rounds")
	}
	c.visit(t, 3000, func(s engine.State, past []int) {
		boundary := s.(engine.Bounded).Boundary()
		if len(past) == 0 {
			require.True(t, boundary, "the beginning of the game")
		}
		if boundary {
			require.Equal(t, engine.Chance, s.Player(), after(past))
		}
	})
}
