package cluster

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine/games"
	"croupier/internal/strict"
)

// A game's page exists in runs of the game, under the rules that it covers.
func TestPagesOfGames(t *testing.T) {
	for _, test := range []struct {
		game, rules string
		pages       int
	}{{"banluck", "", 1}, {"banluck", "players: 2", 0}, {"pig", "", 0}} {
		g, err := games.New(test.game, strict.YAML(test.rules))
		require.NoError(t, err)
		require.Len(t, pagesOf(g, slog.New(slog.DiscardHandler)), test.pages, "%s %s", test.game, test.rules)
	}
}
