package report

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
)

var quiet = slog.New(slog.DiscardHandler)

// TestTables: every hand takes or stops as is best for it.
func TestTables(t *testing.T) {
	tables, err := NewTables(t.Context(), newGame(t, "banluck", ""))
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
}

func TestTablesAreOfOnePlayer(t *testing.T) {
	for name, rules := range map[string]string{"banluck": "players: 2", "pig": ""} {
		g := newGame(t, name, rules)
		require.Nil(t, newAPI(g, quiet), name)
		_, err := NewTables(t.Context(), g)
		require.Error(t, err, name)
	}
}
