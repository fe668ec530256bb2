package enginetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"croupier/engine"
	"croupier/internal/strict"
)

// RequireRefused requires that the game, under the given rules or else its defaults, refuses
// each position with an error that contains the message.
func RequireRefused(t *testing.T, newGame New, rules string, messages map[string]string) {
	t.Helper()
	g, err := newGame([]byte(rules))
	require.NoError(t, err)
	for position, message := range messages {
		_, _, err := g.(engine.Positioned).ParsePosition([]byte(position), engine.NewRNG(1, 0))
		require.ErrorAs(t, err, new(*strict.Error), position)
		require.ErrorContains(t, err, message, position)
	}
}
