package cluster

import (
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/catalog"
	"croupier/engine"
	"croupier/games/standard"
	"croupier/messages"
	"croupier/messages/bus"
	"croupier/messages/bus/memory"
	"croupier/settings"
)

// kitGame is a catalog that knows a game from a file, and its settings.
func kitGame(t *testing.T) *settings.Config {
	t.Helper()
	file, err := os.ReadFile("../engine/wasm/kits/c/tic-tac-toe.wasm")
	require.NoError(t, err)
	games := catalog.New(standard.Games.Games()...)
	_, err = games.Open(file)
	require.NoError(t, err)
	config, err := settings.Default(games, "tic-tac-toe")
	require.NoError(t, err)
	return config
}

// The learner publishes the file of its game before the configuration, and a role that does not have it takes it from
// the broker.
func TestRolesGetTheFileOfTheGame(t *testing.T) {
	b := memory.New(bus.Options{})
	defer b.Close()
	learner := &node{config: kitGame(t), bus: b, dir: t.TempDir()}
	game, err := learner.config.Build()
	require.NoError(t, err)
	learner.game = game
	require.NoError(t, learner.save(t.Context()))
	require.NoError(t, learner.save(t.Context()), "as a run that is resumed does")

	far := catalog.New(standard.Games.Games()...)
	config, err := awaitConfig(t.Context(), far, b, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	theirs, err := config.Build()
	require.NoError(t, err)
	require.Equal(t, engine.RulesHash(game), engine.RulesHash(theirs))
	require.Equal(t, catalog.SourceOf(game), catalog.SourceOf(theirs))
}

// Without the file of the configuration a role ends, and with another one as well.
func TestRolesRefuseAnotherFile(t *testing.T) {
	b := memory.New(bus.Options{})
	defer b.Close()
	config := kitGame(t)
	_, err := config.Build()
	require.NoError(t, err)
	doc, err := config.EncodeShared()
	require.NoError(t, err)
	_, err = b.State().Put(t.Context(), messages.ConfigKey, doc)
	require.NoError(t, err)
	_, err = awaitConfig(t.Context(), catalog.New(), b, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "the file of the run's game: ")

	other, err := os.ReadFile("../engine/wasm/kits/c/pig.wasm")
	require.NoError(t, err)
	hash := settings.FileNamed(doc)
	require.NoError(t, b.PutObject(t.Context(), messages.GameObject(hash), other))
	_, err = awaitConfig(t.Context(), catalog.New(), b, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "the file of the run's game: its SHA-256 is ")
	require.ErrorContains(t, err, " and not "+hash)
}

// People play the game of a run from a file on the page of the run.
func TestPlayingTheGameOfAFile(t *testing.T) {
	game, err := kitGame(t).Build()
	require.NoError(t, err)
	source := &playSource{runs: oneRun{&View{ID: "night", Game: game}}, agents: resolvers{games: standard.Games}}
	list, err := source.Games(t.Context(), "night")
	require.NoError(t, err)
	require.Equal(t, "tic-tac-toe", list[len(list)-1].Name)
	require.Len(t, list, len(standard.Games.Games())+1)
	same, err := source.Game(t.Context(), "tic-tac-toe", "", "night", 2)
	require.NoError(t, err)
	require.Equal(t, engine.RulesHash(game), engine.RulesHash(same))
}
