package catalog_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/catalog"
	"croupier/games/pig"
)

// wasmFile reads an example of the kit.
func wasmFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../engine/wasm/kits/c/" + name + ".wasm")
	require.NoError(t, err)
	return data
}

// A file's game is found by its name and by the hash that its rules name, but not on the list of games; a file with the
// name of a built-in game is refused.
func TestFilesOfACatalog(t *testing.T) {
	c := catalog.New(pig.Entry)
	opened, err := c.Open(wasmFile(t, "tic-tac-toe"))
	require.NoError(t, err)
	require.Equal(t, []string{"pig"}, c.Names())
	hash := opened.Source.Hash()
	require.True(t, c.Has(hash))
	require.False(t, c.Has("00"))
	require.False(t, c.Has(""))

	game, err := c.New("tic-tac-toe", nil)
	require.NoError(t, err)
	require.Equal(t, opened.Source, catalog.SourceOf(game))
	rules, err := json.Marshal(game.Rules())
	require.NoError(t, err)
	require.Equal(t, hash, catalog.NamedFile(rules))
	again, err := c.New("tic-tac-toe", rules)
	require.NoError(t, err)
	require.Equal(t, game.Rules(), again.Rules())
	require.Equal(t, opened.Name, c.Of(again).Name)
	require.Equal(t, hash, c.Of(again).Source.Hash())
	require.Empty(t, catalog.NamedFile([]byte("file: [broken")))
	require.Empty(t, catalog.NamedFile(nil))

	_, err = c.Open([]byte("no module"))
	require.Error(t, err)
	_, err = catalog.New(catalog.Game{Name: "tic-tac-toe", New: pig.New}).Open(wasmFile(t, "tic-tac-toe"))
	require.ErrorContains(t, err, "a game from a file or program needs a name of its own")
	var none *catalog.Catalog
	alone, err := none.Open(wasmFile(t, "tic-tac-toe"))
	require.NoError(t, err)
	require.Equal(t, hash, alone.Source.Hash())
	require.False(t, none.Has(hash))

	listed := c.WithSource(opened)
	require.Equal(t, []string{"pig", "tic-tac-toe"}, listed.Names())
	require.True(t, listed.Has(hash))
	require.Equal(t, []string{"pig", "tic-tac-toe"}, listed.WithSource(opened).Names(), "in the place of the former")
}
