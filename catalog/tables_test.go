package catalog_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/catalog"
	"croupier/games/bank"
	"croupier/games/kuhn"
	"croupier/games/tysiac"
)

// Tables are what presets and usual numbers make of a game's rules, each once, and nothing that the rules refuse.
func TestTablesOfAGame(t *testing.T) {
	c := catalog.New(bank.Entry, tysiac.Entry, kuhn.Entry)
	tables := func(game, rules string) (names []string, documents map[string]string) {
		g, err := c.New(game, []byte(rules))
		require.NoError(t, err)
		list, err := c.Tables(g)
		require.NoError(t, err)
		documents = map[string]string{}
		for _, table := range list {
			document, err := json.Marshal(table.Game.Rules())
			require.NoError(t, err)
			names, documents[table.Name] = append(names, table.Name), string(document)
		}
		return names, documents
	}
	names, documents := tables("bank", "")
	require.Equal(t, []string{"Two players", "Standard, 15 rounds", "Long, 20 rounds", "One question", "Party of eight",
		"players: 4", "players: 5", "players: 6", "players: 7"}, names)
	require.JSONEq(t, `{"players": 8, "rounds": 10, "roller": "round_robin", "repoll": true}`, documents["Party of eight"])
	_, documents = tables("bank", "rounds: 12\nrepoll: false")
	require.JSONEq(t, `{"players": 8, "rounds": 12, "roller": "round_robin", "repoll": false}`, documents["Party of eight"],
		"what a preset does not name stays as it is")
	_, documents = tables("tysiac", "game: {max_hands: 50}")
	require.Contains(t, documents["Short game"], `"game":{"target_score":500,"lock_score":400,"enable_lock":true,"max_hands":50}`)
	names, _ = tables("kuhn", "")
	require.Empty(t, names)
}
