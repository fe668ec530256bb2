package history_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/engine/history"
	"croupier/games/standard"
)

// first takes the first legal action and counts its resets.
type first struct{ games int }

func (f *first) Reset() { f.games++ }

func (*first) Choose(_ engine.State, legal []int, _ *engine.RNG) int { return legal[0] }

func TestWritePlaysGamesOfItsSeed(t *testing.T) {
	game, err := standard.Games.New("leduc", nil)
	require.NoError(t, err)
	players := []history.Player{&first{}, &first{}}
	var out bytes.Buffer
	require.NoError(t, history.Write(context.Background(), &out, game, players, 20, 7))
	require.Equal(t, 20, players[0].(*first).games, "every player is given every game")
	require.Equal(t, 20, players[1].(*first).games)
	in := history.NewReader(&out)
	for i := range uint64(20) {
		var rec history.Record
		require.NoError(t, in.Read(&rec))
		require.Equal(t, history.SeedOf(7, i), *rec.Seed)
		require.Less(t, *rec.Seed, uint64(1)<<53)
	}
}

func TestWriteStops(t *testing.T) {
	game, err := standard.Games.New("kuhn", nil)
	require.NoError(t, err)
	players := []history.Player{&first{}, &first{}}
	full := errors.New("disk full")
	err = history.Write(context.Background(), failing{full}, game, players, 3, 1)
	require.ErrorIs(t, err, full)
	require.ErrorContains(t, err, "writing game 0")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorContains(t, history.Write(ctx, &strings.Builder{}, game, players, 3, 1), "stopped after 0 of 3 games")
}
