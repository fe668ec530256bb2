package learner

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A learner is without games while it waits and none comes; from its start, work or a game on the time begins again.
func TestHungerIsTheTimeOfWaitingWithoutGames(t *testing.T) {
	var h hunger
	now := time.Unix(1_800_000_000, 0)
	look := func(waiting bool, games float64, after time.Duration) time.Duration {
		now = now.Add(after)
		return h.look(waiting, games, now)
	}
	require.Zero(t, look(true, 0, 0))
	require.Equal(t, time.Minute, look(true, 0, time.Minute))
	require.Equal(t, 2*time.Minute, look(true, 0, time.Minute))
	require.Zero(t, look(true, 3, time.Minute), "games came")
	require.Equal(t, time.Minute, look(true, 3, time.Minute))
	require.Zero(t, look(false, 3, time.Minute), "it has enough to work on")
	require.Equal(t, time.Minute, look(true, 3, time.Minute))
}
