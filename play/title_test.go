package play

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/standard"
)

// A person that is shown a game, or a record of it, reads its title, not its name for commands.
func TestGamesAreShownWithTheirTitles(t *testing.T) {
	for _, entry := range standard.Games.Games() {
		game, err := standard.Games.New(entry.Name, nil)
		require.NoError(t, err)
		story, err := NewStory(game, nil)
		require.NoError(t, err)
		title := game.Spec().Title
		require.NotEqual(t, entry.Name, title)
		require.Equal(t, title, story.Show(engine.Everything).Title)
		require.Equal(t, title, story.Show(engine.Public).Title)
	}
	replay, err := NewReplay(t.Context(), []byte(kuhnLine), standard.Games.New, Window{}, nil)
	require.NoError(t, err)
	require.Equal(t, "Kuhn poker", replay.Games[0].Title)
}
