package cluster

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/games/standard"
	"croupier/messages"
	"croupier/web"
)

// The home of a game names the best version of the open run, of this game alone, once something is rated.
func TestBestVersionOfTheOpenRun(t *testing.T) {
	game := kuhnGame(t)
	var ladder *messages.Ladder
	view := &View{ID: "evening", Game: game, ladder: func(context.Context) (*messages.Ladder, error) { return ladder, nil }}
	h := &Globals{Catalog: standard.Games, Runs: oneRun{view}}
	best, err := h.champion(t.Context(), game, "")
	require.NoError(t, err)
	require.Nil(t, best, "nothing is rated")
	ladder = &messages.Ladder{
		Scale: messages.Scale{Unit: "Elo", Zero: "honest"},
		Agents: []messages.LadderAgent{
			{Name: "honest", Kind: "bot"},
			{Name: "greedy:main@4", Kind: "network", Rating: -12.4, Low: -31, High: 6, Games: 900, Best: true},
		},
	}
	best, err = h.champion(t.Context(), game, "evening")
	require.NoError(t, err)
	require.Equal(t, &web.BestOfRun{Run: "evening", Root: "/", Agent: "greedy:main@4", Rating: "-12 (-31 .. 6) Elo",
		Zero: "honest", Games: 900}, best)
	other, err := standard.Games.New("pig", nil)
	require.NoError(t, err)
	best, err = h.champion(t.Context(), other, "")
	require.NoError(t, err)
	require.Nil(t, best, "a run of another game")
	_, err = h.champion(t.Context(), game, "nowhere")
	require.ErrorContains(t, err, "there is no run")
}
