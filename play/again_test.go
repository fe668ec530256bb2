package play

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/standard"
)

// A game that is tried again from a moment has the same dice to come and the same opponents: a person that decides as
// before has the same game.
func TestRetryHasTheSameChance(t *testing.T) {
	game, err := standard.Games.New("pig", nil)
	require.NoError(t, err)
	table, err := NewTable(Plan{Game: game, Chairs: robots(game), Seed: 3, Sum: []float64{1, -1}}, noon)
	require.NoError(t, err)
	finish(t, table, func() {})

	const moment = 20
	plan, err := table.Retry(moment)
	require.NoError(t, err)
	again, err := NewTable(plan, noon)
	require.NoError(t, err)
	require.Equal(t, table.story.history[:moment], again.story.history)
	require.Equal(t, []float64{1, -1}, again.plan.Sum, "the finished game does not count twice")
	for next := again.Next(); next != NextNobody; next = again.Next() {
		if next == NextChance {
			require.NoError(t, again.Draw(noon))
			continue
		}
		require.NoError(t, again.repeat(table.story.history[len(again.made)]))
	}
	require.Equal(t, table.story.history, again.story.history)
	require.True(t, again.seeded)

	for _, steps := range []int{-1, len(table.made)} {
		_, err := table.Retry(steps)
		require.ErrorContains(t, err, "from is")
	}
}
