package search

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
)

// Worlds that continue beyond their value give what worlds that end with it give, and what deeper ones do: in a game
// for two with hidden cards, and among three, of whom only one can be asked.
func TestWorldsGoOnBeyondTheirValue(t *testing.T) {
	const number, lead, beyond = 40, 3, 4
	for _, name := range []string{"tysiac-hand", "bank"} {
		game := newGame(t, name, "{}")
		model := newFixed(16, hashed)
		differ := false
		play(t, game, 3, func(s engine.State, legal []int) {
			values := func(lead, beyond int) start {
				w := newWorlds(game, model, lead, number)
				w.beyond = beyond
				w.begin(s, 1)
				w.add(s, legal[0], 0)
				w.grow(0, number)
				w.finish()
				return w.starts[0]
			}
			near, far, both := values(lead, 0), values(lead+beyond, 0), values(lead, beyond)
			require.Equal(t, near.values, both.values)
			require.Equal(t, near.judged, both.judged)
			require.Equal(t, far.values, both.later)
			require.Empty(t, near.later)
			differ = differ || far.judged < near.judged
		})
		require.True(t, differ, "the deeper worlds end more often")
	}
}
