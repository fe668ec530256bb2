package plural

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	require.Equal(t, "1 game", Of(1, "game"))
	require.Equal(t, "0 games", Of(int64(0), "game"))
	require.Equal(t, "2 games", Of(uint64(2), "game"))
	require.Equal(t, "1 die", Of(1, "die", "dice"))
	require.Equal(t, "3 dice", Of(int32(3), "die", "dice"))
}
