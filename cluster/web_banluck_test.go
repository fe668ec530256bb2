package cluster

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine/games"
)

func TestBanluckTablesOfThePage(t *testing.T) {
	game, err := games.New("banluck", nil)
	require.NoError(t, err)
	tables, err := banluckTables(game)()
	require.NoError(t, err)
	require.InDelta(t, -0.086031, tables.EV, 1e-6)
	seen := map[string]int{}
	for _, h := range tables.Hands {
		seen[h.Seat+" "+h.Stops]++
		require.GreaterOrEqual(t, h.Share, 0.0)
		require.LessOrEqual(t, h.Share, 1.0)
		if best := max(h.EVTakes, h.EVStops); h.Share > 0 {
			require.InDelta(t, best, h.EVTakes, 1e-9, "%+v", h)
		} else {
			require.InDelta(t, best, h.EVStops, 1e-9, "%+v", h)
		}
	}
	require.Len(t, seen, 4)
	require.Equal(t, 3, seen["dealer surrender"])

	for name, rules := range map[string]string{"banluck": "players: 2", "pig": ""} {
		game, err := games.New(name, []byte(rules))
		require.NoError(t, err)
		require.Nil(t, banluckTables(game))
	}
}
