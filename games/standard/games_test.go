package standard

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/catalog"
	"croupier/engine"
	"croupier/engine/enginetest"
	"croupier/engine/history"
)

// A game of the list has golden playthroughs in its folder and a page for people. The folder is
// named after the game, with or without its hyphens.
func TestEveryGameHasItsFiles(t *testing.T) {
	for _, entry := range Games.Games() {
		t.Run(entry.Name, func(t *testing.T) {
			folder := filepath.Join("..", entry.Name)
			golden, err := os.ReadFile(filepath.Join(folder, enginetest.GoldenHistories))
			require.NoError(t, err, "go test ./%s -update writes it", filepath.Join("games", entry.Name))
			summary, err := history.Check(context.Background(), bytes.NewReader(golden), Games.New, nil)
			require.NoError(t, err)
			require.Positive(t, summary.Games)
			require.FileExists(t, filepath.Join(folder, enginetest.GoldenPlaythrough))
			requirePage(t, entry)
		})
	}
}

// requirePage: a page for people covers the game, its figures if it has any, and its positions
// if people can write them down.
func requirePage(t *testing.T, entry catalog.Game) {
	game, err := entry.New(nil)
	require.NoError(t, err)
	path := filepath.Join("..", entry.Name, "README.md")
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(page), string(entry.Manual), "%s is in the program", path)
	_, positioned := game.(engine.Positioned)
	for title, wanted := range map[string]bool{"Positions": positioned, "Figures": len(game.Spec().Figures) > 0} {
		has := strings.Contains(string(page), "\n## "+title+"\n")
		require.True(t, has || !wanted, "%s has no section %s", path, title)
	}
}

func TestNamesAreThoseOfTheGames(t *testing.T) {
	for _, entry := range Games.Games() {
		g, err := Games.New(entry.Name, nil)
		require.NoError(t, err)
		require.Equal(t, entry.Name, g.Spec().Name)
	}
}

// The hash of a game's rules is in every message, and processes of adjacent versions take part in the same run
// (docs/reference/versions.md): it is that of version 0.1. A new rule is left out of the JSON and YAML (omitempty)
// where the game is as it was without that rule.
func TestRulesHaveTheHashOfTheLastRelease(t *testing.T) {
	for name, want := range map[string]string{
		"bank": "52a5539c51e9b6bc", "pig": "a1332fb64fb1947e", "kuhn": "e38c9a58e78af050", "leduc": "01dd294f3841526b",
		"tysiac": "73d63879ae3c12b4", "tysiac-hand": "b3017d53a8111043", "banluck": "9aa3fe21f8aabc6b",
		"lange-strasse": "43033e77537afaa1", "bank-cards": "001a89676d9b7bc2",
	} {
		g, err := Games.New(name, nil)
		require.NoError(t, err)
		require.Equal(t, want, fmt.Sprintf("%x", engine.RulesHash(g)), name)
	}
}

func TestNewSaysWhatIsWrong(t *testing.T) {
	_, err := Games.New("chess", nil)
	require.ErrorContains(t, err, `unknown game "chess"; the games are `+strings.Join(Games.Names(), ", "))
	_, err = Games.New("pig", []byte("goal: 3"))
	require.ErrorContains(t, err, "pig: rules: line 1: goal: unknown key; the only one is target")
}

func TestDescribe(t *testing.T) {
	info, err := Games.Describe("bank")
	require.NoError(t, err)
	require.Equal(t, "bank", info.Name)
	require.Equal(t, 3, info.Seats)
	require.Equal(t, []string{"threshold(100)", "rolls(6)", "leader-chaser"}, info.Bots)
	require.Equal(t, "threshold(N)", info.AllBots[0].Name)
	require.NotEmpty(t, info.AllBots[0].Help)
	_, err = Games.Describe("chess")
	require.ErrorContains(t, err, `unknown game "chess"`)
}
