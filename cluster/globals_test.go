package cluster

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/standard"
)

// A game's page exists in runs of the game, under the rules that it covers.
func TestPagesOfGames(t *testing.T) {
	for _, test := range []struct {
		game, rules, page string
		there             bool
	}{{"banluck", "", "banluck", true}, {"banluck", "players: 2", "banluck", false}, {"pig", "", "banluck", false}} {
		g, err := standard.Games.New(test.game, []byte(test.rules))
		require.NoError(t, err)
		var names []string
		for _, p := range pagesOf(standard.Games, g, slog.New(slog.DiscardHandler)) {
			names = append(names, p.Name)
		}
		require.Equal(t, test.there, slices.Contains(names, test.page), "%s %s: %v", test.game, test.rules, names)
	}
}
