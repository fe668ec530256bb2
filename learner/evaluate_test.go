package learner

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/games/leduc"
)

func leducGame(t testing.TB) engine.Game {
	t.Helper()
	game, err := leduc.New(nil)
	require.NoError(t, err)
	return game
}
