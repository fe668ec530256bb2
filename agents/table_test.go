package agents

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/catalog"
	"croupier/games/standard"
)

// An agent is measured at a table against the bot that is the strongest there, by the same games whenever it is asked.
func TestMeasuringAtATable(t *testing.T) {
	table := func(name, rules string) catalog.NamedTable {
		game, err := standard.Games.New(name, []byte(rules))
		require.NoError(t, err)
		return catalog.NamedTable{Name: "four", Game: game}
	}
	four, err := TableOf(table("bank", "players: 4"), Sources{Catalog: standard.Games}, 400, 7)
	require.NoError(t, err)
	require.Equal(t, "four", four.Name)
	require.Equal(t, 4, four.Seats)
	require.Equal(t, "leader-chaser", four.Against)
	require.Equal(t, catalog.ShareUnit, four.Unit)
	require.InDelta(t, 0.25, four.Parity, 1e-9)
	require.Contains(t, string(four.Rules), `"players":4`)
	r, err := four.Measure(t.Context(), "random")
	require.NoError(t, err)
	require.Equal(t, "random", r.Agent)
	require.EqualValues(t, 400, r.Games)
	require.Less(t, r.High, 0.25, "below parity beyond chance")
	require.True(t, r.Low <= r.Value && r.Value <= r.High)
	again, err := four.Measure(t.Context(), "random")
	require.NoError(t, err)
	require.Equal(t, r, again)
	_, err = four.Measure(t.Context(), "main@1")
	require.Error(t, err)

	money, err := TableOf(table("banluck", ""), Sources{Catalog: standard.Games}, 400, 7)
	require.NoError(t, err)
	require.Zero(t, money.Parity)
	require.NotEqual(t, catalog.ShareUnit, money.Unit)
	r, err = money.Measure(t.Context(), "random")
	require.NoError(t, err)
	require.Negative(t, r.Value)
}
